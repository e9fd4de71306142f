import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { files } from './pages.js';
import { service as staging, sharePreparedApp } from '../support/folders.js';
import { shareFolder } from '../support/share-folder.js';

/** Retry-After, minus the amount by which a timer may fire early. */
const WAIT_MS = 990;

type Answer = readonly [status: number, headers: Record<string, string>, body: string];

const REFUSED: Answer = [
  429,
  { 'Retry-After': '1' },
  '{"code":"rate_limit_exceeded","message":"Wait 1 s.","status":429}',
];
const AWAY: Answer = [
  503,
  { 'Retry-After': '1' },
  '{"code":"service_unavailable","message":"Try again.","status":503}',
];

const folder = shareFolder();
const server = createServer();

afterEach(() => {
  server.close();
  server.removeAllListeners('request');
});

const hasPython = spawnSync('python3', ['--version']).status === 0;

/** The manual's clients, with the programs that run them. */
const CLIENTS = [
  { name: 'all-pets.mjs', program: process.execPath },
  ...(hasPython ? [{ name: 'all_pets.py', program: 'python3' }] : []),
];
type Client = (typeof CLIENTS)[number];

/** Runs a client against a server that returns these responses in order. */
function runClient(client: Client, responses: readonly Answer[]) {
  return runAgainst(client, 'the-key', async (_, index) => responses[index] ?? [500, {}, '{}']);
}

async function runAgainst(
  { name, program }: Client,
  key: string,
  respond: (request: IncomingMessage, index: number) => Promise<Answer>,
) {
  const calls: { url: string; authorization: string | undefined; atMs: number }[] = [];
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const index = calls.push({
      url: request.url ?? '',
      authorization: request.headers.authorization,
      atMs: performance.now(),
    });
    void respond(request, index - 1).then(([status, headers, body]) => response.writeHead(status, headers).end(body));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const file = join(folder, name);
  writeFileSync(file, (files.get(name) ?? '').replace('localhost:3000', `127.0.0.1:${port}`));
  const child = spawn(program, [file], { env: { API_KEY: key, PATH: process.env['PATH'] } });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  return { code, output, calls };
}

describe.each(CLIENTS)('the example client $name', (client) => {
  it('obeys Retry-After, follows Link and keeps every digit', async () => {
    const { code, output, calls } = await runClient(client, [
      REFUSED,
      AWAY,
      [
        200,
        { Link: '</v1/pets?limit=100&after=1>; rel="next"' },
        '[{"id":1,"name":"A","categoryId":9223372036854775807}]',
      ],
      [200, {}, '[{"id":2,"name":"B","categoryId":-9007199254740993}]'],
    ]);
    expect({ code, output }).toEqual({
      code: 0,
      output: '1 A, category 9223372036854775807\n2 B, category -9007199254740993\n',
    });
    expect(calls.map(({ url }) => url)).toEqual([
      ...Array<string>(3).fill('/v1/pets?limit=100'),
      '/v1/pets?limit=100&after=1',
    ]);
    expect(new Set(calls.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer the-key']));
    const [first = 0, second = 0, third = 0] = calls.map(({ atMs }) => atMs);
    expect(second - first).toBeGreaterThanOrEqual(WAIT_MS);
    expect(third - second).toBeGreaterThanOrEqual(WAIT_MS);
  });

  it('stops if the wait is long', async () => {
    const { code, calls } = await runClient(client, [[429, { 'Retry-After': '40000' }, REFUSED[2]]]);
    expect({ code, calls: calls.length }).toEqual({ code: 1, calls: 1 });
  });
});

describe.each(CLIENTS)('the example client $name, rehearsing errors with a staging service', (client) => {
  let key: string;
  sharePreparedApp({ env: { ENVIRONMENT: 'staging' } }, async () => {
    key = await staging.key();
    await staging.post('/v1/pets', key, '{"name":"A","categoryId":1}');
  });

  /** A proxy that first makes the API return these errors. For 410 it calls getPet, which is deprecated. */
  const rehearse = (...codes: readonly string[]) =>
    runAgainst(client, key, async ({ url = '', headers: { authorization = '' } }, index) => {
      const code = codes[index];
      const response = await fetch(staging.origin + (code === '410' ? '/v1/pets/1' : url), {
        headers: { authorization, ...(code === undefined ? {} : { prefer: `code=${code}` }) },
      });
      expect(response.headers.get('preference-applied')).toBe(code === undefined ? null : `code=${code}`);
      const kept = [...response.headers].filter(([name]) => ['retry-after', 'link'].includes(name));
      return [response.status, Object.fromEntries(kept), await response.text()];
    });

  it('backs off on a limit, a ban and an unavailable service, and continues after each wait', async () => {
    const { code, output, calls } = await rehearse('429', 'api_key_banned', '503');
    expect({ code, output, calls: calls.length }).toEqual({ code: 0, output: '1 A, category 1\n', calls: 4 });
    const waits = calls.slice(1).map(({ atMs }, index) => atMs - (calls[index]?.atMs ?? 0));
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(WAIT_MS);
  });

  it.each(['410', '401', '403'])('stops on %s', async (refusal) => {
    const { code, calls } = await rehearse(refusal);
    expect({ code, calls: calls.length }).toEqual({ code: 1, calls: 1 });
  });
});
