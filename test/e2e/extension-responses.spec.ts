import { describe, expect, it } from '@jest/globals';
import {
  type ArgumentsHost,
  BadRequestException,
  Body,
  Catch,
  ConflictException,
  Controller,
  type ExceptionFilter,
  Get,
  HttpException,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  NotFoundException,
  Param,
  Post,
  ServiceUnavailableException,
  Sse,
  StreamableFile,
  UnauthorizedException,
  UseFilters,
} from '@nestjs/common';
import { APP_FILTER, BaseExceptionFilter } from '@nestjs/core';
import { IsString } from 'class-validator';
import type { FastifyReply } from 'fastify';
import { of } from 'rxjs';
import { Operation, Public, Registry, sendCreated, sendPage } from '../../src/index.js';
import { fetchDocument, operationNamed } from '../openapi/document.js';
import { errorOf, expectTrio } from '../support/expectations.js';
import { AMPLE, key, service, shareApp } from '../support/folders.js';
import { addHandlers, returning, throwing } from '../support/handlers.js';
import { operationsOf } from '../support/operations.js';

const LARGE = 9_007_199_254_740_993n;

class PrinterError extends Error {}

const httpError = (message: string, status: number, expose: boolean) =>
  Object.assign(new Error(message), { expose, status, statusCode: status });

const NOTHING_TOLD = [500, 'internal_error', 'The service failed to process this request.'] as const;

/** What a handler can throw, with a title, and the response to it. */
const THROWN: readonly [string, unknown, number, string, string][] = [
  ['of http-errors keeps its status', httpError('It is gone.', 410, true), 410, 'gone', 'It is gone.'],
  ['of http-errors can hide its message', httpError('/etc/secret', 404, false), 404, 'not_found', 'Not Found'],
  ['of http-errors that is a failure tells nothing', httpError('disk 7', 500, false), ...NOTHING_TOLD],
  [
    'of a client of another service tells nothing',
    Object.assign(new Error('from another service'), { statusCode: 404 }),
    ...NOTHING_TOLD,
  ],
  [
    'can be an object with a status',
    { statusCode: 422, message: 'It cannot be read.' },
    422,
    'unprocessable_content',
    'It cannot be read.',
  ],
  ['of Nest has its message', new ConflictException('It is open elsewhere.'), 409, 'conflict', 'It is open elsewhere.'],
  ['of Nest has the reason phrase without one', new NotFoundException(), 404, 'not_found', 'Not Found'],
  ['of Nest can be a 431', new HttpException('It is long.', 431), 431, 'headers_too_large', 'It is long.'],
  ['of Nest can be a 429', new HttpException('It is late.', 429), 429, 'rate_limit_exceeded', 'It is late.'],
  ['of Nest can be a 401', new UnauthorizedException(), 401, 'unauthorized', 'Unauthorized'],
  [
    'of Nest can have an object with a message',
    new BadRequestException({ message: 'It is empty.', hint: 'Write something.' }),
    400,
    'validation_failed',
    'It is empty.',
  ],
  [
    'of Nest can have an object with `error`',
    new HttpException({ status: 403, error: 'It is private.' }, 403),
    403,
    'forbidden',
    'It is private.',
  ],
  ['of Nest can have messages', new BadRequestException(['one', 'two']), 400, 'validation_failed', 'one; two'],
  [
    'of Nest can have details',
    new HttpException([{ property: 'name', errors: ['is taken'] }], 400),
    400,
    'validation_failed',
    'Http Exception',
  ],
];

/** Responds as Nest does to an exception with a status. */
@Catch(HttpException)
class StatusFilter implements ExceptionFilter {
  catch(exception: HttpException, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    void reply.status(exception.getStatus()).send({ seen: exception.getResponse() });
  }
}

@Catch()
class AnyFilter extends BaseExceptionFilter {}

@Catch(PrinterError)
class PrinterFilter implements ExceptionFilter {
  catch(_error: PrinterError, host: ArgumentsHost): void {
    void host.switchToHttp().getResponse<FastifyReply>().status(502).send({ printer: 'away' });
  }
}

class Note {
  @IsString()
  text!: string;
}

const operation = operationsOf('pets:read', 'A response');
const FILE = Buffer.from('a,b');
const ATTACHED = { type: 'text/csv', disposition: 'attachment' };
const created = { success: { status: 201, description: 'Created.' } };

@Controller('responses')
class ResponsesController {
  @Get('thrown/:title')
  @Public()
  fail(@Param('title') title: string): never {
    throw THROWN.find(([one]) => one === title)?.[1];
  }

  @Post('filtered')
  @Operation(operation('sendFiltered', created))
  @UseFilters(StatusFilter)
  filtered(@Body() note: Note): Note {
    return note;
  }

  @Post('filtered-by-any')
  @Operation(operation('sendFilteredByAny', created))
  @UseFilters(AnyFilter)
  any(@Body() note: Note): Note {
    return note;
  }
}

const typed = (success: object) => ({ success: { status: 200, description: 'Text.', ...success } });

addHandlers(ResponsesController, {
  print: [Get('printed'), Public(), throwing(() => new PrinterError())],
  busy: [Get('busy'), Public(), throwing(() => new ServiceUnavailableException('busy'))],
  closed: [Get('closed'), Operation(operation('sendClosed'))],
  closedLater: [Get('closed-later'), Operation(operation('sendClosedLater'))],
  created: [
    Post('created'),
    Operation(operation('sendCreated', created)),
    returning((reply) => sendCreated(reply, '/v1/responses', { id: 'a/b', large: LARGE } as { id: unknown })),
  ],
  page: [
    Get('page'),
    Operation(operation('sendPage')),
    returning((reply) => sendPage(reply, '/v1/responses', {}, { items: [{ id: LARGE }], nextAfter: undefined })),
  ],
  text: [Get('text'), Operation(operation('sendText', typed({ type: String }))), returning(() => 'no "JSON"')],
  file: [Get('file'), Operation(operation('sendFile')), returning(() => new StreamableFile(FILE, ATTACHED))],
  stream: [Sse('stream'), Operation(operation('streamNews')), returning(() => of({ data: 'hello' }))],
  table: [
    Get('table'),
    Operation(operation('sendTable', typed({ contentType: 'text/csv' }))),
    returning(() => 'text\nFeed Rex'),
  ],
});

const close = (): never => {
  throw new UnauthorizedException('It is closed.');
};

@Module({ controllers: [ResponsesController], providers: [{ provide: APP_FILTER, useClass: PrinterFilter }] })
class ResponsesModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(close).forRoutes('responses/closed');
    consumer.apply(async () => close()).forRoutes('responses/closed-later');
  }
}

shareApp({ extensions: [{ module: ResponsesModule }] }, AMPLE);

const get = (path: string) => service.request(`/v1/responses/${path}`, { key });
const post = (path: string, body: object = {}) => service.post(`/v1/responses/${path}`, key, body);

describe('an error that a handler throws', () => {
  it.each(THROWN)('%s', async (title, _, status, code, message) => {
    expect(await errorOf(await get(`thrown/${encodeURIComponent(title)}`))).toEqual({ status, code, message });
  });

  it('is counted for its route, also if anybody can call that', async () => {
    const [title = ''] = THROWN.find(([, , status]) => status === 404) ?? [];
    await get(`thrown/${encodeURIComponent(title)}`);
    expect(await service.app.get(Registry).metrics()).toMatch(
      /_count\{.*http_route="\/v1\/responses\/thrown\/:title",http_response_status_code="404"\}/,
    );
  });

  it.each([
    ['busy', 503],
    [`thrown/${encodeURIComponent('of Nest can be a 429')}`, 429],
  ])('of Nest has Retry-After if the client can try again: %s', async (path, status) => {
    const response = await get(path);
    expect([response.status, response.headers.get('retry-after')]).toEqual([status, '1']);
  });
});

describe('an error of middleware', () => {
  it.each(['closed', 'closed-later'])('is the response, with the headers of every response: %s', async (path) => {
    const response = await get(path);
    expectTrio(response);
    expect(response.headers.get('x-request-id')).not.toBeNull();
    expect(await errorOf(response)).toEqual({ status: 401, code: 'unauthorized', message: 'It is closed.' });
  });
});

describe('a filter', () => {
  const refusal = { status: 400, code: 'validation_failed', message: 'text must be a string.' };

  it('of a route gets the errors of the service as exceptions of Nest', async () => {
    const response = await post('filtered', { text: 1 });
    expect([response.status, await response.json()]).toEqual([400, { seen: refusal }]);
  });

  it('of a route that extends the one of Nest sends the Error object', async () => {
    expect(await errorOf(await post('filtered-by-any', { text: 1 }))).toEqual(refusal);
  });

  it('of all routes gets the exceptions that it names', async () => {
    const response = await get('printed');
    expect([response.status, await response.json()]).toEqual([502, { printer: 'away' }]);
  });
});

describe('a bigint that a handler returns', () => {
  it('has all its digits in pages and in new resources, whose address is encoded', async () => {
    expect(await (await get('page')).text()).toBe(`[{"id":${LARGE}}]`);
    const { headers, ...response } = await service.json('/v1/responses/created', { key, body: {} });
    expect(headers.get('location')).toBe('/v1/responses/a%2Fb');
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response).toEqual({ status: 201, body: { id: 'a/b', large: LARGE } });
  });
});

describe('another response than JSON', () => {
  it.each([
    ['text', 'text/plain; charset=utf-8', 'no "JSON"'],
    ['file', 'text/csv', 'a,b'],
    ['stream', 'text/event-stream', '\nid: 1\ndata: hello\n\n'],
    ['table', 'text/csv', 'text\nFeed Rex'],
  ])('is sent with its media type: %s', async (path, type, text) => {
    const response = await get(path);
    expect([response.headers.get('content-type'), await response.text()]).toEqual([type, text]);
    expect(response.headers.get('content-disposition')).toBe(path === 'file' ? 'attachment' : null);
  });

  it('is documented with its media type, and the clients leave it out', async () => {
    const { responses } = operationNamed(await fetchDocument(service), 'sendTable');
    expect(Object.keys(responses['200']?.content ?? {})).toEqual(['text/csv']);
    expect(await (await service.request('/docs/client.ts')).text()).toMatch(/ sendPage\((?![^]* sendTable\()/);
  });
});
