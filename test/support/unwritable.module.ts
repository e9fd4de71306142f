import { Readable } from 'node:stream';
import {
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

export const UNWRITABLE = 'пример';

const Unwritable = (id: string, status = 200): MethodDecorator =>
  Operation({
    id,
    summary: 'Return what cannot be written',
    scope: 'pets:read',
    stability: 'experimental',
    success: { status, description: 'Never.' },
    errors: [],
  });

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
  @Get('value')
  @Unwritable('sendValue')
  value(@Res({ passthrough: true }) reply: FastifyReply): string | undefined {
    reply.headers({ x: UNWRITABLE, 'x-other': 'fine', link: '</v1/a>; rel="next"', location: '/v1/a' });
    return sendWithEtag(reply, '[]', '"a"');
  }

  @Get('line-break')
  @Unwritable('sendLineBreak')
  lineBreak(@Res({ passthrough: true }) reply: FastifyReply): object {
    reply.header('x', 'a\r\nb: c');
    return {};
  }

  @Get('by-hook')
  @Unwritable('sendByHook')
  byHook(): object {
    return {};
  }

  @Get('transfer-encoding')
  @Unwritable('sendTransferEncoding')
  transferEncoding(@Res({ passthrough: true }) reply: FastifyReply): object {
    reply.header('transfer-encoding', 'chunked');
    return {};
  }

  @Get('trailer')
  @Unwritable('sendTrailer')
  trailer(@Res({ passthrough: true }) reply: FastifyReply): object {
    reply.header('trailer', 'x');
    return {};
  }

  @Get('name')
  @Unwritable('sendName')
  name(@Res({ passthrough: true }) reply: FastifyReply): object {
    reply.header('x y', 'a');
    return {};
  }

  @Get('common')
  @Unwritable('sendCommon')
  common(@Res({ passthrough: true }) reply: FastifyReply): object {
    reply.headers({ 'x-request-id': UNWRITABLE, 'x-content-type-options': UNWRITABLE, 'cache-control': UNWRITABLE });
    return {};
  }

  @Get('reason')
  @Unwritable('sendReason')
  reason(@Res({ passthrough: true }) reply: FastifyReply): object {
    reply.raw.statusMessage = UNWRITABLE;
    return {};
  }

  @Get('own-reason')
  @Unwritable('sendOwnReason')
  ownReason(@Res({ passthrough: true }) reply: FastifyReply): object {
    reply.raw.statusMessage = 'Fine';
    return {};
  }

  @Get('decorator')
  @Header('X', UNWRITABLE)
  @Unwritable('sendDecorator')
  decorator(): object {
    return {};
  }

  @Get('interceptor')
  @UseInterceptors(AddsHeader)
  @Unwritable('sendInterceptor')
  interceptor(): object {
    return {};
  }

  @Get('error')
  @Unwritable('sendErrorHeaders')
  error(): never {
    throw new ApiError('conflict', 'No.', { x: UNWRITABLE });
  }

  @Get('error-status')
  @Unwritable('sendErrorStatus')
  errorStatus(): never {
    throw new HttpException('No.', 42);
  }

  @Get('filter')
  @UseFilters(OwnFilter)
  @Unwritable('sendFilter')
  filter(): never {
    throw new RangeError('No.');
  }

  @Get('status')
  @Unwritable('sendStatus')
  status(@Res({ passthrough: true }) reply: FastifyReply): string | undefined {
    const body = created(reply);
    reply.code(999);
    return body;
  }

  @Get('raw-status')
  @Unwritable('sendRawStatus')
  rawStatus(@Res({ passthrough: true }) reply: FastifyReply): object {
    reply.raw.statusCode = 1000;
    return {};
  }

  @Get('informational')
  @Unwritable('sendInformational')
  informational(@Res() reply: FastifyReply): void {
    void reply.code(103).send({});
  }

  @Get('no-content')
  @Unwritable('sendNoContent', 204)
  noContent(@Res({ passthrough: true }) reply: FastifyReply): void {
    reply.header('x', UNWRITABLE);
  }

  @Get('stream')
  @Unwritable('sendStream')
  stream(@Res({ passthrough: true }) reply: FastifyReply): StreamableFile {
    reply.header('x', UNWRITABLE);
    return new StreamableFile(Readable.from(['a', 'b']), { disposition: 'attachment' });
  }

  @Get('web-stream')
  @Unwritable('sendWebStream')
  webStream(@Res() reply: FastifyReply): void {
    void reply.header('x', UNWRITABLE).send(new Blob(['a']).stream());
  }

  @Sse('events')
  @Header('X', UNWRITABLE)
  @Unwritable('sendEvents')
  events(): Observable<object> {
    return of({ data: 'a' });
  }

  @Get('circular')
  @Unwritable('sendCircular')
  circular(@Res() reply: FastifyReply): void {
    const body: Record<string, unknown> = {};
    body['self'] = body;
    void reply.headers({ etag: '"a"', location: '/v1/a', 'cache-control': 'public' }).send(body);
  }

  @Get('function')
  @Unwritable('sendFunction')
  function(@Res() reply: FastifyReply): void {
    void reply.send(() => 'a');
  }

  @Get('object')
  @Unwritable('sendObjectAsText')
  object(@Res() reply: FastifyReply): void {
    void reply.type('text/plain').send({});
  }

  @Post('idempotent')
  @Idempotent()
  @Unwritable('sendIdempotent', 201)
  idempotent(@Res({ passthrough: true }) reply: FastifyReply): string | undefined {
    const body = created(reply);
    reply.header('location', `/${UNWRITABLE}`);
    return body;
  }
}

@Module({ controllers: [UnwritableController] })
export class UnwritableModule {}
