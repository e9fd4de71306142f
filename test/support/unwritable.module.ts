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
  Res,
  Sse,
  StreamableFile,
  UseFilters,
  UseInterceptors,
} from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { of, type Observable } from 'rxjs';
import { ApiError, Idempotent, Operation, sendCreated, sendWithEtag } from '../../src/index.js';
import { operationsOf } from './operations.js';

export const UNWRITABLE = 'пример';

const operation = operationsOf('pets:read', 'Nothing that can be written');
const idOf = (path: string) => `send${path.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase())}`;

const Unwritable = (path: string, status = 200, Method: (path: string) => MethodDecorator = Get): MethodDecorator =>
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

/** Responses whose head or body cannot be written. */
@Controller('unwritable')
class UnwritableController {
  @Unwritable('value')
  value(@Res({ passthrough: true }) reply: FastifyReply): string | undefined {
    reply.headers({ x: UNWRITABLE, 'x-other': 'fine', link: '</v1/a>; rel="next"', location: '/v1/a' });
    return sendWithEtag(reply, '[]', '"a"');
  }

  @Unwritable('line-break')
  lineBreak(@Res({ passthrough: true }) reply: FastifyReply): object {
    reply.header('x', 'a\r\nb: c');
    return {};
  }

  @Unwritable('by-hook')
  byHook(): object {
    return {};
  }

  @Unwritable('transfer-encoding')
  transferEncoding(@Res({ passthrough: true }) reply: FastifyReply): object {
    reply.header('transfer-encoding', 'chunked');
    return {};
  }

  @Unwritable('trailer')
  trailer(@Res({ passthrough: true }) reply: FastifyReply): object {
    reply.header('trailer', 'x');
    return {};
  }

  @Unwritable('name')
  name(@Res({ passthrough: true }) reply: FastifyReply): object {
    reply.header('x y', 'a');
    return {};
  }

  @Unwritable('common')
  common(@Res({ passthrough: true }) reply: FastifyReply): object {
    reply.headers({ 'x-request-id': UNWRITABLE, 'x-content-type-options': UNWRITABLE, 'cache-control': UNWRITABLE });
    return {};
  }

  @Unwritable('reason')
  reason(@Res({ passthrough: true }) reply: FastifyReply): object {
    reply.raw.statusMessage = UNWRITABLE;
    return {};
  }

  @Unwritable('own-reason')
  ownReason(@Res({ passthrough: true }) reply: FastifyReply): object {
    reply.raw.statusMessage = 'Fine';
    return {};
  }

  @Unwritable('decorator')
  @Header('X', UNWRITABLE)
  decorator(): object {
    return {};
  }

  @Unwritable('interceptor')
  @UseInterceptors(AddsHeader)
  interceptor(): object {
    return {};
  }

  @Unwritable('error')
  error(): never {
    throw new ApiError('conflict', 'No.', { x: UNWRITABLE });
  }

  @Unwritable('error-status')
  errorStatus(): never {
    throw new HttpException('No.', 42);
  }

  @Unwritable('filter')
  @UseFilters(OwnFilter)
  filter(): never {
    throw new RangeError('No.');
  }

  @Unwritable('status')
  status(@Res({ passthrough: true }) reply: FastifyReply): string | undefined {
    const body = created(reply);
    reply.code(999);
    return body;
  }

  @Unwritable('raw-status')
  rawStatus(@Res({ passthrough: true }) reply: FastifyReply): object {
    reply.raw.statusCode = 1000;
    return {};
  }

  @Unwritable('informational')
  informational(@Res() reply: FastifyReply): void {
    void reply.code(103).send({});
  }

  @Unwritable('no-content', 204)
  noContent(@Res({ passthrough: true }) reply: FastifyReply): void {
    reply.header('x', UNWRITABLE);
  }

  @Unwritable('stream')
  stream(@Res({ passthrough: true }) reply: FastifyReply): StreamableFile {
    reply.header('x', UNWRITABLE);
    return new StreamableFile(Readable.from(['a', 'b']), { disposition: 'attachment' });
  }

  @Unwritable('web-stream')
  webStream(@Res() reply: FastifyReply): void {
    void reply.header('x', UNWRITABLE).send(new Blob(['a']).stream());
  }

  @Unwritable('events', 200, Sse)
  @Header('X', UNWRITABLE)
  events(): Observable<object> {
    return of({ data: 'a' });
  }

  @Unwritable('circular')
  circular(@Res() reply: FastifyReply): void {
    const body: Record<string, unknown> = {};
    body['self'] = body;
    void reply.headers({ etag: '"a"', location: '/v1/a', 'cache-control': 'public' }).send(body);
  }

  @Unwritable('function')
  function(@Res() reply: FastifyReply): void {
    void reply.send(() => 'a');
  }

  @Unwritable('object')
  object(@Res() reply: FastifyReply): void {
    void reply.type('text/plain').send({});
  }

  @Unwritable('idempotent', 201, Post)
  @Idempotent()
  idempotent(@Res({ passthrough: true }) reply: FastifyReply): string | undefined {
    const body = created(reply);
    reply.header('location', `/${UNWRITABLE}`);
    return body;
  }
}

@Module({ controllers: [UnwritableController] })
export class UnwritableModule {}
