import { Readable } from 'node:stream';
import {
  applyDecorators,
  type ArgumentsHost,
  type CallHandler,
  Catch,
  Controller,
  type ExceptionFilter,
  type ExecutionContext,
  Get,
  Header,
  HttpException,
  Module,
  type NestInterceptor,
  Post,
  Sse,
  StreamableFile,
  UseFilters,
  UseInterceptors,
} from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { of, type Observable } from 'rxjs';
import { ApiError, Idempotent, Operation, sendCreated, sendWithEtag } from '../../src/index.js';
import { addHandlers, returning, sending, throwing } from './handlers.js';
import { operationsOf } from './operations.js';

export const UNWRITABLE = 'пример';

const operation = operationsOf('pets:read', 'Nothing that can be written');
const idOf = (path: string) => `send${path.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase())}`;

const unwritable = (path: string, status = 200, Method: (path: string) => MethodDecorator = Get): MethodDecorator =>
  applyDecorators(Method(path), Operation(operation(idOf(path), { success: { status, description: 'Never.' } })));

class AddsHeader implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    context.switchToHttp().getResponse<FastifyReply>().header('x', UNWRITABLE);
    return next.handle();
  }
}

@Catch(RangeError)
class OwnFilter implements ExceptionFilter {
  catch(_: unknown, host: ArgumentsHost): void {
    void host.switchToHttp().getResponse<FastifyReply>().code(400).header('x', UNWRITABLE).send('{}');
  }
}

const created = (reply: FastifyReply) => sendCreated(reply, '/v1/unwritable', { id: 1 });

const withHeaders = (headers: Record<string, string>) =>
  returning((reply) => {
    reply.headers(headers);
    return {};
  });

const withReason = (reason: string) =>
  returning((reply) => {
    reply.raw.statusMessage = reason;
    return {};
  });

const circular: Record<string, unknown> = {};
circular['self'] = circular;

/** Responses whose head or body cannot be written. */
@Controller('unwritable')
class UnwritableController {}

addHandlers(UnwritableController, {
  value: [
    unwritable('value'),
    returning((reply) => {
      reply.headers({ x: UNWRITABLE, 'x-other': 'fine', link: '</v1/a>; rel="next"', location: '/v1/a' });
      return sendWithEtag(reply, '[]', '"a"');
    }),
  ],
  lineBreak: [unwritable('line-break'), withHeaders({ x: 'a\r\nb: c' })],
  name: [unwritable('name'), withHeaders({ 'x y': 'a' })],
  byHook: [unwritable('by-hook'), returning(() => ({}))],
  transferEncoding: [unwritable('transfer-encoding'), withHeaders({ 'transfer-encoding': 'chunked' })],
  trailer: [unwritable('trailer'), withHeaders({ trailer: 'x' })],
  common: [
    unwritable('common'),
    withHeaders({ 'x-request-id': UNWRITABLE, 'x-content-type-options': UNWRITABLE, 'cache-control': UNWRITABLE }),
  ],
  reason: [unwritable('reason'), withReason(UNWRITABLE)],
  ownReason: [unwritable('own-reason'), withReason('Fine')],
  decorator: [unwritable('decorator'), Header('X', UNWRITABLE), returning(() => ({}))],
  interceptor: [unwritable('interceptor'), UseInterceptors(AddsHeader), returning(() => ({}))],
  error: [unwritable('error'), throwing(() => new ApiError('conflict', 'No.', { x: UNWRITABLE }))],
  errorStatus: [unwritable('error-status'), throwing(() => new HttpException('No.', 42))],
  filter: [unwritable('filter'), UseFilters(OwnFilter), throwing(() => new RangeError('No.'))],
  status: [
    unwritable('status'),
    returning((reply) => {
      const body = created(reply);
      reply.code(999);
      return body;
    }),
  ],
  rawStatus: [
    unwritable('raw-status'),
    returning((reply) => {
      reply.raw.statusCode = 1000;
      return {};
    }),
  ],
  informational: [unwritable('informational'), sending((reply) => reply.code(103).send({}))],
  noContent: [unwritable('no-content', 204), returning((reply) => void reply.header('x', UNWRITABLE))],
  stream: [
    unwritable('stream'),
    returning((reply) => {
      reply.header('x', UNWRITABLE);
      return new StreamableFile(Readable.from(['a', 'b']), { disposition: 'attachment' });
    }),
  ],
  webStream: [
    unwritable('web-stream'),
    sending((reply) => reply.header('x', UNWRITABLE).send(new Blob(['a']).stream())),
  ],
  events: [unwritable('events', 200, Sse), Header('X', UNWRITABLE), returning(() => of({ data: 'a' }))],
  circular: [
    unwritable('circular'),
    sending((reply) => reply.headers({ etag: '"a"', location: '/v1/a', 'cache-control': 'public' }).send(circular)),
  ],
  function: [unwritable('function'), sending((reply) => reply.send(() => 'a'))],
  object: [unwritable('object'), sending((reply) => reply.type('text/plain').send({}))],
  idempotent: [
    unwritable('idempotent', 201, Post),
    Idempotent(),
    returning((reply) => {
      const body = created(reply);
      reply.header('location', `/${UNWRITABLE}`);
      return body;
    }),
  ],
});

@Module({ controllers: [UnwritableController] })
export class UnwritableModule {}
