import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  type CallHandler,
  Controller,
  type ExecutionContext,
  Get,
  Injectable,
  Module,
  type NestInterceptor,
  Sse,
  UseInterceptors,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ClientProxyFactory, MessagePattern, Payload, RpcException, Transport } from '@nestjs/microservices';
import { ApiExcludeController } from '@nestjs/swagger';
import { HealthIndicatorService, TerminusModule } from '@nestjs/terminus';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { firstValueFrom, map, NEVER, of, startWith, Subject, takeUntil, tap } from 'rxjs';
import { type Caller, CurrentCaller, type HealthIndicator, Public, RequireScope } from '../../src/index.js';
import { startApp, type TestApp } from '../support/app.js';
import { freePort } from '../support/servers/free-port.js';
import { errorOf } from '../support/expectations.js';

/** As that of `@nestjs/cache-manager`, with a map for the store. */
class CacheInterceptor implements NestInterceptor {
  private readonly store = new Map<string, unknown>();

  intercept(context: ExecutionContext, next: CallHandler) {
    const key = this.trackBy(context);
    if (key === undefined) return next.handle();
    if (this.store.has(key)) return of(this.store.get(key));
    return next.handle().pipe(tap((response) => this.store.set(key, response)));
  }

  protected trackBy(context: ExecutionContext): string | undefined {
    return context.switchToHttp().getRequest<FastifyRequest>().url;
  }
}

class AccountCache extends CacheInterceptor {
  protected override trackBy(context: ExecutionContext): string | undefined {
    const { caller, url } = context.switchToHttp().getRequest<FastifyRequest>();
    return caller === undefined ? undefined : `${caller.accountId} ${url}`;
  }
}

@ApiExcludeController()
@Controller('visits')
class VisitsController {
  private count = 0;

  @Get()
  @RequireScope('pets:read')
  @UseInterceptors(AccountCache)
  visit(@CurrentCaller() { accountId }: Caller): object {
    this.count += 1;
    return { accountId, visit: this.count };
  }
}

@Module({ controllers: [VisitsController] })
class VisitsModule {}

@ApiExcludeController()
@Controller('news')
class NewsController {
  private readonly ended = new Subject<void>();

  constructor({ httpAdapter }: HttpAdapterHost) {
    httpAdapter.getInstance<FastifyInstance>().addHook('preClose', async () => this.ended.next());
  }

  @Sse()
  @RequireScope('pets:read')
  stream() {
    return NEVER.pipe(
      startWith('hello'),
      map((data) => ({ data })),
      takeUntil(this.ended),
    );
  }
}

@Module({ controllers: [NewsController] })
class NewsModule {}

@Controller()
class GreetingsController {
  @MessagePattern('greet')
  @Public()
  greet(@Payload() name: string): string {
    return `Hello, ${name}!`;
  }

  @MessagePattern('fail')
  @Public()
  fail(): never {
    throw new RpcException('Nobody is here.');
  }

  @MessagePattern('break')
  @Public()
  break(): never {
    throw new Error('a secret of the database');
  }
}

@Module({ controllers: [GreetingsController] })
class GreetingsModule {}

class SilentHealth implements HealthIndicator {
  readonly check = () => new Promise<never>(() => undefined);
}

@Injectable()
class PrinterHealth implements HealthIndicator {
  constructor(private readonly indicators: HealthIndicatorService) {}

  check() {
    return this.indicators.check('printer').down();
  }
}

@Module({ imports: [TerminusModule], providers: [SilentHealth, PrinterHealth] })
class HealthModule {}

let service: TestApp | undefined;
afterEach(async () => {
  await service?.stop();
  service = undefined;
});

describe('a CacheInterceptor that tracks by account', () => {
  it('returns the cached response to the same account only', async () => {
    service = await startApp({ extensions: [{ module: VisitsModule }] });
    const [first, second, other] = [
      await service.createKey({ account: 'one' }),
      await service.createKey({ account: 'one' }),
      await service.createKey({ account: 'two' }),
    ];
    const visit = async (key: typeof first) => (await service?.json('/v1/visits', { key }))?.body;
    const seen = await visit(first);
    expect(seen).toEqual({ accountId: expect.any(Number), visit: 1 });
    expect([await visit(first), await visit(second)]).toEqual([seen, seen]);
    const seenByOther = await visit(other);
    expect(seenByOther).toEqual({ accountId: expect.any(Number), visit: 2 });
    expect(seenByOther).not.toHaveProperty('accountId', (seen as Caller).accountId);
  });
});

describe('an open stream of events that ends when the server begins to close', () => {
  it('ends whole, and does not hold up close()', async () => {
    service = await startApp({ extensions: [{ module: NewsModule }] });
    const { body } = await service.request('/v1/news', { key: await service.key() });
    const chunks = body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await chunks?.read())?.value).toContain('data: hello');
    const closed = service.app.close().then(() => 'closed');
    expect(await Promise.race([closed, delay(5_000, 'held up', { ref: false })])).toBe('closed');
    expect((await chunks?.read())?.done).toBe(true);
  });
});

describe('a microservice that inherits the configuration of the application', () => {
  it('answers messages, and reports errors', async () => {
    const transport = { transport: Transport.TCP, options: { host: '127.0.0.1', port: await freePort() } } as const;
    service = await startApp({
      extensions: [{ module: GreetingsModule }],
      configure: (app) => void app.connectMicroservice(transport, { inheritAppConfig: true }),
    });
    await service.app.startAllMicroservices();
    const client = ClientProxyFactory.create(transport);
    expect(await firstValueFrom(client.send('greet', 'Ada'))).toBe('Hello, Ada!');
    await expect(firstValueFrom(client.send('fail', {}))).rejects.toMatchObject({ message: 'Nobody is here.' });
    await expect(firstValueFrom(client.send('break', {}))).rejects.toMatchObject({ message: 'Internal server error' });
    await client.close();
  });
});

describe('a health indicator that never responds', () => {
  it('makes the service not ready in bounded time, and others that are down are named too', async () => {
    const healthIndicators = [SilentHealth, PrinterHealth];
    service = await startApp({ extensions: [{ module: HealthModule, healthIndicators }] });
    const response = service.request('/health/ready');
    const inTime = Promise.race([response, delay(5_000, undefined, { ref: false })]);
    expect((await inTime)?.status).toBe(503);
    expect(await errorOf(await response)).toMatchObject({
      code: 'service_unavailable',
      message: 'The service is not ready. Down: SilentHealth, printer.',
    });
  });
});
