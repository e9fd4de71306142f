import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { applyDecorators, Body, Controller, Get, Module, Param, Post, Query } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsArray, IsOptional, IsString } from 'class-validator';
import { IdListParam, Operation, type OperationOptions } from '../../src/index.js';
import { key, service, shareApp } from '../support/folders.js';
import { listen } from '../support/listen.js';
import { operationsOf } from '../support/operations.js';
import { shareFolder } from '../support/share-folder.js';
import { call, CLIENTS, writeClients } from './client-programs.js';

const PET = '{"id":1,"name":"Bella","categoryId":1,"status":"available"}';
const OWN = { id: 1, name: 'Bella', categoryId: 1, status: 'available' };
const [GET, CHANGE] = [
  { name: 'getPet', given: [1] },
  { name: 'changePet', given: [1, { name: 'Bella' }] },
];
const CREATE = { name: 'createPet', given: [{ name: 'Bella', categoryId: 1 }] };
const USAGE = { name: 'getUsage' };

const operation = operationsOf('pets:read', 'Words');

const OptionalText = () => applyDecorators(ApiPropertyOptional(), IsOptional(), IsString());

/** Parameters whose names a language or a client needs for something else. */
class Words {
  @OptionalText()
  lambda?: string;

  @OptionalText()
  self?: string;

  @OptionalText()
  options?: string;

  @OptionalText()
  body?: string;

  @OptionalText()
  headers?: string;

  @OptionalText()
  '2nd'?: string;
}

class Word {
  @ApiProperty()
  @IsString()
  text!: string;
}

/** Lists: one whose name is repeated, and one with commas. */
class Lists {
  @ApiPropertyOptional({ type: [String] })
  @IsOptional()
  @IsArray()
  tags?: string[];

  @IdListParam({ description: 'Identifiers.', maxItems: 2 })
  ids?: string;
}

const PAGE: Partial<OperationOptions> = {
  success: { status: 200, description: 'Words.', type: [Word], headers: ['Link'] },
};
const JSON_OBJECT = { success: { status: 200, description: 'Words.', type: Object } };

@Controller('words')
class WordsController {
  @Get()
  @Operation(operation('listWords', PAGE))
  list(@Query() lists: Lists): Word[] {
    return (lists.tags ?? []).map((tag) => ({ text: tag }));
  }

  @Get('of/:class/:path')
  @Operation(operation('import', JSON_OBJECT))
  find(@Param('class') kind: string, @Param('path') path: string): object {
    return { kind, path };
  }

  @Post('of/:query')
  @Operation(operation('wait', JSON_OBJECT))
  add(@Param('query') query: string, @Query() words: Words, @Body() word: Word): object {
    return { query, words, word };
  }
}

@Module({ controllers: [WordsController] })
class WordsModule {}

const folder = shareFolder();
shareApp({ extensions: [{ module: WordsModule }] });
beforeAll(() => writeClients(service, folder, ['calls']));

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

type Answer = readonly [status: number, body?: string | Buffer, headers?: Record<string, string>];

/** Gives each request the next answer, and then the pet. @returns its address */
async function answering(answers: readonly Answer[], seen: string[] = []): Promise<string> {
  const server = createServer(async (request, response) => {
    const [status, body = '', headers] = answers[seen.length] ?? [200, PET];
    seen.push(`${request.method} ${request.url} ${await text(request)}`.trimEnd());
    response.writeHead(status, headers).end(body);
  });
  servers.push(server);
  return `http://127.0.0.1:${await listen(server)}`;
}

describe.each(CLIENTS)('the client in /docs/client.$language', (client) => {
  const calling = (baseUrl: string, calls: Parameters<typeof call>[4], as = 'psk_live_secret') =>
    call(client, folder, baseUrl, as, calls);

  it.each([301, 302, 307])('follows no redirect, which would take its key elsewhere: %i', async (status) => {
    const strayed: string[] = [];
    const elsewhere = await answering([], strayed);
    const answer: Answer = [status, '<p>Moved', { Location: `${elsewhere}/login` }];
    const { results } = await calling(await answering([answer, answer]), [GET, CREATE]);
    const refused = { status, code: 'unknown', message: expect.stringContaining(`redirects to ${elsewhere}/login`) };
    expect(results).toEqual([refused, refused]);
    expect(strayed).toEqual([]);
  });

  it('gets the usage of a banned key, whose refusal it reports with its own code', async () => {
    const banned = await service.key({ plan: 'enterprise', perMinute: 2, perDay: 90 });
    for (let request = 0; request < 4; request += 1) await service.request('/v1/pets', { key: banned });
    const { results, waits } = await calling(`${service.origin}/v1`, [GET, USAGE, GET, USAGE], banned);
    const usage = expect.objectContaining({ bannedUntil: expect.any(String) });
    const limited = { code: 'rate_limit_exceeded', message: expect.stringContaining('requires a wait') };
    expect(results).toEqual([
      { status: 429, code: 'api_key_banned', message: expect.stringContaining('banned') },
      usage,
      expect.objectContaining(limited),
      usage,
    ]);
    expect(waits).toEqual([]);
  });

  it('gets the usage of an exhausted account, whose limits only the other operations obey', async () => {
    const spent = await service.key({ plan: 'enterprise', perMinute: 1, perDay: 1 });
    await service.request('/v1/pets', { key: spent });
    const { results } = await calling(`${service.origin}/v1`, [USAGE, GET, USAGE], spent);
    const usage = expect.objectContaining({ day: expect.objectContaining({ remaining: 0 }) });
    expect(results).toEqual([usage, expect.objectContaining({ code: 'rate_limit_exceeded' }), usage]);
  });

  it('waits before it gets the usage again only if that was refused, and then for nothing else', async () => {
    const reset = { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String(Math.ceil(Date.now() / 1000) + 3600) };
    const seen: string[] = [];
    const refused: Answer = [
      429,
      '{"code":"rate_limit_exceeded","message":"Wait."}',
      { ...reset, 'Retry-After': '20' },
    ];
    const address = await answering([[200, '{}', reset], refused, [200, PET]], seen);
    const { results, waits } = await calling(address, [USAGE, USAGE, GET]);
    expect(seen).toEqual(['GET /usage', 'GET /usage', 'GET /usage', 'GET /pets/1']);
    expect([results[2], waits.length]).toEqual([OWN, 1]);
    expect(waits[0]).toBeGreaterThan(19);
  });

  it.each<[string, Answer, string, string]>([
    ['JSON without a code', [403, '{"message":"No"}'], 'unknown', 'No'],
    ['problem details', [409, '{"code":"busy","detail":"It is busy."}'], 'busy', 'It is busy.'],
    ['a list', [404, '["No"]'], 'unknown', '["No"]'],
    ['a text in another charset', [403, Buffer.from('Verm\xe4hlt', 'latin1')], 'unknown', 'Verm\ufffdhlt'],
    ['JSON that is cut off', [404, '{"code":"pet_n'], 'unknown', '{"code":"pet_n'],
    ['nothing', [502], 'unknown', 'HTTP 502'],
  ])('reports an error that is not of the service: %s', async (_, answer, code, message) => {
    const { results, waits } = await calling(await answering([answer]), [CHANGE]);
    expect(results).toEqual([{ status: answer[0], code, message }]);
    expect(waits).toEqual([]);
  });

  it.each<[string, Answer]>([
    ['502', [502, '{"message":"Bad gateway"}']],
    ['503 with Retry-After', [503, '<p>Soon', { 'Retry-After': '1' }]],
  ])('repeats what is safe to repeat after an error that is not of the service: %s', async (_, answer) => {
    const { results, waits } = await calling(await answering([answer]), [GET]);
    expect([results, waits.length]).toEqual([[OWN], 1]);
  });

  it('sends nothing and waits for nothing after a mistake of the caller', async () => {
    const header = { ...GET, options: { headers: { 'X-Note': 'two\nlines' } } };
    expect(await calling(await answering([]), [header])).toEqual({ results: ['another error'], waits: [] });
    expect(await calling('http://localhost:port/v1', [GET])).toEqual({ results: ['another error'], waits: [] });
  });

  it('repeats the name of a list, unless it is documented with commas, and follows such a link', async () => {
    const seen: string[] = [];
    const link = '</words?tags=a&tags=c%2Cd&ids=3%2C4&after=1>; rel="next"';
    const address = await answering(
      [
        [200, '[{"text":"dog"}]', { Link: link }],
        [200, '[]'],
      ],
      seen,
    );
    const { results } = await calling(address, [{ name: 'listWords', query: { tags: ['a', 'c,d'], ids: [3, 4] } }]);
    expect(results).toEqual([[{ text: 'dog' }]]);
    const path = '/words?tags=a&tags=c%2Cd&ids=3%2C4';
    expect(seen).toEqual([`GET ${path}`, `GET ${path}&after=1`]);
  });

  it('calls operations whose names and parameters it or its language needs for something else', async () => {
    const word = { text: 'dog' };
    const words = { lambda: 'a', self: 'b', options: 'c', body: 'd', headers: 'e', '2nd': 'f' };
    const inPython = { lambda_: 'a', self_: 'b', options_: 'c', body_: 'd', headers_: 'e', _2nd: 'f' };
    const [find, wait, query] = client.language === 'ts' ? ['import', 'wait_', words] : ['import_', 'wait', inPython];
    const calls = [
      { name: find, given: ['noun', 'a/b'] },
      { name: wait, given: ['x', word], query },
    ];
    expect((await calling(`${service.origin}/v1`, calls, key)).results).toEqual([
      { kind: 'noun', path: 'a/b' },
      { query: 'x', words, word },
    ]);
  });
});

describe('the client in TypeScript', () => {
  const [client = { language: 'ts', program: process.execPath }] = CLIENTS;

  it('sends a body as it was at the call', async () => {
    const seen: string[] = [];
    await call(client, folder, await answering([], seen), 'key', [{ ...CREATE, later: { name: 'Milo' } }]);
    expect(seen).toEqual(['POST /pets {"name":"Bella","categoryId":1}']);
  });

  it('reads a number that is exact as a number, and another one as a bigint', async () => {
    const body =
      '{"least":-9007199254740991,"most":9007199254740991,"more":9007199254740992,"long":1.0000000000000002}';
    const { results } = await call(client, folder, await answering([[200, body]]), 'key', [GET]);
    const [least, most] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
    expect(results).toEqual([{ least, most, more: '9007199254740992n', long: 1.0000000000000002 }]);
  });
});
