import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AddressInfo, Server } from 'node:net';
import {
  type ArgumentMetadata,
  Body,
  type CallHandler,
  type CanActivate,
  ConflictException,
  Controller,
  type ExecutionContext,
  Get,
  Module,
  type NestInterceptor,
  type PipeTransform,
  Post,
  Query,
  Req,
  UnauthorizedException,
  UseInterceptors,
  ValidationPipe,
} from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { ClientProxyFactory, MessagePattern, Payload, RpcException, Transport } from '@nestjs/microservices';
import { RouteConfig } from '@nestjs/platform-fastify';
import { WsAdapter } from '@nestjs/platform-ws';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { firstValueFrom, map, of, tap } from 'rxjs';
import { type Caller, CurrentCaller, Operation, Public } from '../../src/index.js';
import { errorOf } from '../support/expectations.js';
import { key, service, shareApp } from '../support/folders.js';
import { JSON_TYPE } from '../support/http.js';
import { addHandlers, throwing } from '../support/handlers.js';
import { operationsOf } from '../support/operations.js';

/*
 * Idioms from the Nest documentation, written as it shows them. Each must work as a Nest engineer expects.
 */

const operation = operationsOf('notes:use', 'A note');
const requestOf = (context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>();

/** As that of `@nestjs/cache-manager`, with a map for the store. */
class CacheInterceptor implements NestInterceptor {
  private readonly store = new Map<string, unknown>();

  intercept(context: ExecutionContext, next: CallHandler) {
    const at = this.trackBy(context);
    if (at === undefined) return next.handle();
    if (this.store.has(at)) return of(this.store.get(at));
    return next.handle().pipe(tap((response) => this.store.set(at, response)));
  }

  protected trackBy(context: ExecutionContext): string | undefined {
    return requestOf(context).url;
  }
}

class AccountCache extends CacheInterceptor {
  protected override trackBy(context: ExecutionContext): string | undefined {
    const { caller, url } = requestOf(context);
    return caller === undefined ? undefined : `${caller.accountId} ${url}`;
  }
}

@Controller('notes')
class NotesController {
  private visits = 0;

  @Get()
  @Operation(operation('listNotes'))
  list(@Query('word') word: string): object {
    return { word };
  }

  @Get('configured')
  @Operation(operation('getConfigured', { quota: 'none' }))
  @RouteConfig({ isNoted: true })
  configured(@Req() { routeOptions }: FastifyRequest): object {
    return { isNoted: 'isNoted' in routeOptions.config };
  }

  @Get('visits')
  @Operation(operation('visitNotes'))
  @UseInterceptors(AccountCache)
  visit(@CurrentCaller() { accountId }: Caller): object {
    this.visits += 1;
    return { accountId, visit: this.visits };
  }
}

const HOOK_SECRET = 'secret of the sender';

@Controller('hooks')
class HooksController {
  @Post()
  @Public()
  receive(@Req() { rawBody = Buffer.of(), headers }: FastifyRequest, @Body() body: object): object {
    const expected = createHmac('sha256', HOOK_SECRET).update(rawBody).digest();
    const given = Buffer.from(String(headers['x-signature']), 'hex');
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      throw new UnauthorizedException('The signature does not match the body.');
    return { received: body };
  }
}

/** Rejects one word in any query, and reverses another. */
class WordPipe implements PipeTransform {
  transform(value: unknown): unknown {
    if (value === 'rude') throw new ConflictException('The pipe of the extension refuses this.');
    return value === 'turn' ? 'nrut' : value;
  }
}

/** Global in the way of Nest's documentation. */
class UpperPipe implements PipeTransform {
  transform(value: unknown, { data }: ArgumentMetadata): unknown {
    return data === 'word' && typeof value === 'string' ? value.toUpperCase() : value;
  }
}

/** Stamps objects, or wraps whatever a handler returns. */
class StampInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    const isWrapped = context.getType() === 'http' && requestOf(context).headers['x-wrapped'] !== undefined;
    return next.handle().pipe(
      map((data: unknown) => {
        if (isWrapped) return { data };
        return typeof data === 'object' && data !== null ? { ...data, stamped: true } : data;
      }),
    );
  }
}

class HoursGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return context.getType() !== 'http' || requestOf(context).headers['x-hours'] !== 'closed';
  }
}

@WebSocketGateway({ path: '/notes' })
class NotesGateway {
  @Public()
  @SubscribeMessage('greet')
  greet(): object {
    return { event: 'greeting', data: 'hello' };
  }
}

@Controller()
class GreetingsController {
  @MessagePattern('greet')
  @Public()
  greet(@Payload() name: string): string {
    return `Hello, ${name}!`;
  }
}

addHandlers(GreetingsController, {
  fail: [MessagePattern('fail'), Public(), throwing(() => new RpcException('Nobody is here.'))],
  break: [MessagePattern('break'), Public(), throwing(() => new Error('a secret of the database'))],
});

@Module({
  controllers: [NotesController, HooksController, GreetingsController],
  providers: [
    NotesGateway,
    { provide: APP_PIPE, useClass: WordPipe },
    { provide: APP_INTERCEPTOR, useClass: StampInterceptor },
    { provide: APP_GUARD, useClass: HoursGuard },
  ],
})
class NotesModule {}

const TCP = { transport: Transport.TCP, options: { host: '127.0.0.1', port: 0 } } as const;

shareApp(
  {
    extensions: [{ module: NotesModule, configure: (app) => void app.useGlobalPipes(new UpperPipe()) }],
    configure: (app) => {
      app.useGlobalPipes(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true, transform: true }));
      app.useWebSocketAdapter(new WsAdapter(app));
      app.connectMicroservice(TCP, { inheritAppConfig: true });
    },
  },
  { scopes: ['notes:use', 'pets:read', 'pets:write'] },
);

const get = (path: string, headers: Record<string, string> = {}) => service.request(`/v1/${path}`, { key, headers });
const post = (path: string, body: unknown) => service.post(`/v1/${path}`, key, body);
const bodyOf = async (response: Promise<Response>) => (await (await response).json()) as Record<string, unknown>;

describe('global enhancers', () => {
  it('work as providers of a module: pipes, interceptors and guards', async () => {
    expect(await errorOf(await get('notes?word=rude'))).toMatchObject({ status: 409, code: 'conflict' });
    expect(await bodyOf(get('notes'))).toMatchObject({ stamped: true });
    expect(await errorOf(await get('notes', { 'x-hours': 'closed' }))).toMatchObject({ status: 403 });
  });

  it('work in configure() of an extension and of the application', async () => {
    expect(await bodyOf(get('notes?word=turn'))).toMatchObject({ word: 'NRUT' });
  });

  it('leave the metrics as they are, even if they wrap all responses', async () => {
    const headers = { 'x-wrapped': 'yes' };
    expect(await bodyOf(get('pets', headers))).toEqual({ data: expect.any(String) });
    expect(await (await service.request('/metrics', { headers })).text()).toMatch(/^# HELP /);
  });

  it('do not affect the operations of the service', async () => {
    const pet = { name: 'Rex', categoryId: 3 };
    const response = await post('pets', pet);
    expect([response.status, await response.json()]).toEqual([201, { ...pet, id: expect.any(Number) }]);
    expect(await bodyOf(get('pets'))).toEqual([{ ...pet, id: expect.any(Number) }]);
    expect((await post('pets', { name: 'Rex' })).status).toBe(400);
  });
});

describe('an operation', () => {
  it('can have a configuration for Fastify', async () => {
    expect(await bodyOf(get('notes/configured'))).toMatchObject({ isNoted: true });
  });

  it('can cache responses by account, and returns them to the same account only', async () => {
    const scopes = ['notes:use'];
    const [first, second, other] = [
      await service.createKey({ account: 'one', scopes }),
      await service.createKey({ account: 'one', scopes }),
      await service.createKey({ account: 'two', scopes }),
    ];
    const visit = async (as: typeof first) => (await service.json<Caller>('/v1/notes/visits', { key: as })).body;
    const seen = await visit(first);
    expect(seen).toMatchObject({ accountId: expect.any(Number), visit: 1 });
    expect([await visit(first), await visit(second)]).toEqual([seen, seen]);
    const seenByOther = await visit(other);
    expect(seenByOther).toMatchObject({ accountId: expect.any(Number), visit: 2 });
    expect(seenByOther.accountId).not.toBe(seen.accountId);
  });
});

describe('other kinds of routes', () => {
  it('are WebSockets', async () => {
    const socket = new WebSocket(`${service.origin.replace('http', 'ws')}/notes`);
    const message = await new Promise((resolve, reject) => {
      socket.addEventListener('open', () => socket.send(JSON.stringify({ event: 'greet' })));
      socket.addEventListener('message', ({ data }) => resolve(data));
      socket.addEventListener('error', () => reject(new Error('The socket failed.')));
    });
    socket.close();
    expect(JSON.parse(String(message))).toMatchObject({ event: 'greeting', data: 'hello' });
  });

  it('are public webhooks, whose signature is that of the bytes of the body', async () => {
    const body = '{ "paid":  1.50 }';
    const send = (signature: string) =>
      service.request('/v1/hooks', { method: 'POST', headers: { ...JSON_TYPE, 'X-Signature': signature }, body });
    const signature = createHmac('sha256', HOOK_SECRET).update(body).digest('hex');
    expect(await bodyOf(send(signature))).toEqual({ received: { paid: 1.5 }, stamped: true });
    for (const wrong of ['', 'no hex', signature.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))])
      expect(await errorOf(await send(wrong))).toMatchObject({ status: 401, code: 'unauthorized' });
  });

  it('are messages of a microservice that inherits the configuration, with their errors', async () => {
    await service.app.startAllMicroservices();
    const [port = 0] = service.app
      .getMicroservices()
      .map((microservice) => (microservice.unwrap<Server>().address() as AddressInfo).port);
    const client = ClientProxyFactory.create({ ...TCP, options: { ...TCP.options, port } });
    expect(await firstValueFrom(client.send('greet', 'Ada'))).toBe('Hello, Ada!');
    await expect(firstValueFrom(client.send('fail', {}))).rejects.toMatchObject({ message: 'Nobody is here.' });
    await expect(firstValueFrom(client.send('break', {}))).rejects.toMatchObject({ message: 'Internal server error' });
    await client.close();
  });
});
