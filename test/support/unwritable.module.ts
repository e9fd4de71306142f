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
import { addHandlers, type Handler, returning, sending, throwing } from './handlers.js';
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

/** By path, what a handler does, and its decorators. */
const HANDLERS: Readonly<Record<string, Handler>> = {
  value: [
    returning((reply) => {
      reply.headers({ x: UNWRITABLE, 'x-other': 'fine', link: '</v1/a>; rel="next"', location: '/v1/a' });
      return sendWithEtag(reply, '[]', '"a"');
    }),
  ],
  'line-break': [withHeaders({ x: 'a\r\nb: c' })],
  name: [withHeaders({ 'x y': 'a' })],
  'by-hook': [returning(() => ({}))],
  'transfer-encoding': [withHeaders({ 'transfer-encoding': 'chunked' })],
  trailer: [withHeaders({ trailer: 'x' })],
  common: [
    withHeaders({ 'x-request-id': UNWRITABLE, 'x-content-type-options': UNWRITABLE, 'cache-control': UNWRITABLE }),
  ],
  reason: [withReason(UNWRITABLE)],
  decorator: [Header('X', UNWRITABLE), returning(() => ({}))],
  interceptor: [UseInterceptors(AddsHeader), returning(() => ({}))],
  error: [throwing(() => new ApiError('conflict', 'No.', { x: UNWRITABLE }))],
  'error-status': [throwing(() => new HttpException('No.', 42))],
  filter: [UseFilters(OwnFilter), throwing(() => new RangeError('No.'))],
  status: [
    returning((reply) => {
      const body = created(reply);
      reply.code(999);
      return body;
    }),
  ],
  'raw-status': [
    returning((reply) => {
      reply.raw.statusCode = 1000;
      return {};
    }),
  ],
  informational: [sending((reply) => reply.code(103).send({}))],
  stream: [
    returning((reply) => {
      reply.header('x', UNWRITABLE);
      return new StreamableFile(Readable.from(['a', 'b']), { disposition: 'attachment' });
    }),
  ],
  'web-stream': [sending((reply) => reply.header('x', UNWRITABLE).send(new Blob(['a']).stream()))],
  circular: [
    sending((reply) => reply.headers({ etag: '"a"', location: '/v1/a', 'cache-control': 'public' }).send(circular)),
  ],
  function: [sending((reply) => reply.send(() => 'a'))],
  object: [sending((reply) => reply.type('text/plain').send({}))],
};

/** Responses whose head or body cannot be written. */
@Controller('unwritable')
class UnwritableController {}

for (const [path, handler] of Object.entries(HANDLERS))
  addHandlers(UnwritableController, { [path]: [unwritable(path), ...handler] });

addHandlers(UnwritableController, {
  noContent: [unwritable('no-content', 204), returning((reply) => void reply.header('x', UNWRITABLE))],
  events: [unwritable('events', 200, Sse), Header('X', UNWRITABLE), returning(() => of({ data: 'a' }))],
  ownReason: [unwritable('own-reason'), withReason('Fine')],
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

/** The paths of those that answer GET. */
export const UNWRITABLE_PATHS = [...Object.keys(HANDLERS), 'no-content', 'events'];

@Module({ controllers: [UnwritableController] })
export class UnwritableModule {}
