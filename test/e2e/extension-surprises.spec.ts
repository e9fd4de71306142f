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
import { ApiExcludeController, ApiProduces } from '@nestjs/swagger';
import { HealthIndicatorService, TerminusModule } from '@nestjs/terminus';
import type { FastifyRequest } from 'fastify';
import { map, NEVER, of, startWith, Subject, takeUntil, tap } from 'rxjs';
import { type Caller, CurrentCaller, type HealthIndicator, Operation, RequireScope } from '../../src/index.js';
import { fetchDocument, operationNamed } from '../openapi/document.js';
import { startApp, type TestApp } from '../support/app.js';
import { errorOf } from '../support/expectations.js';
import { operationsOf } from '../support/operations.js';

const operation = operationsOf('pets:read', 'A table');
const csv = { success: { status: 200, description: 'A table.', contentType: 'text/csv' } };

@Controller('tables')
class TablesController {
  @Get('plain')
  @Operation(operation('getPlainTable'))
  @ApiProduces('text/csv')
  plain(): string {
    return 'a,b';
  }

  @Get('declared')
  @Operation(operation('getDeclaredTable', csv))
  @ApiProduces('text/csv')
  declared(): string {
    return 'a,b';
  }
}

@Module({ controllers: [TablesController] })
class TablesModule {}

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

  @Sse()
  @RequireScope('pets:read')
  stream() {
    return NEVER.pipe(
      startWith('hello'),
      map((data) => ({ data })),
      takeUntil(this.ended),
    );
  }

  beforeApplicationShutdown(): void {
    this.ended.next();
  }
}

@Module({ controllers: [NewsController] })
class NewsModule {}

class SilentHealth implements HealthIndicator {
  readonly check = () => new Promise<never>(() => undefined);
}

@Injectable()
class PrinterHealth implements HealthIndicator {
  asked = 0;

  constructor(private readonly indicators: HealthIndicatorService) {}

  check() {
    this.asked += 1;
    return this.indicators.check('printer').up();
  }
}

@Module({ imports: [TerminusModule], providers: [SilentHealth, PrinterHealth] })
class HealthModule {}

let service: TestApp | undefined;
afterEach(async () => {
  await service?.stop();
  service = undefined;
});

describe('@ApiProduces()', () => {
  it('documents no media type of an operation: its `contentType` does, and sets it', async () => {
    service = await startApp({ extensions: [{ module: TablesModule }] });
    const [document, key] = [await fetchDocument(service), await service.key()];
    const documented = (id: string) =>
      Object.entries(operationNamed(document, id).responses).map(([status, { content = {} }]) => [
        status === '200' ? 'success' : 'error',
        ...Object.keys(content),
      ]);
    const sent = async (path: string) =>
      (await service?.request(`/v1/tables/${path}`, { key }))?.headers.get('content-type');
    const [[plain, ...errors], [declared, ...others]] = [documented('getPlainTable'), documented('getDeclaredTable')];
    expect([plain, await sent('plain')]).toEqual([['success'], 'text/plain; charset=utf-8']);
    expect([declared, await sent('declared')]).toEqual([['success', 'text/csv'], 'text/csv']);
    expect(new Set([...errors, ...others].flat())).toEqual(new Set(['error', 'application/json']));
  });
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

describe('an open stream of events that ends before the shutdown of the application', () => {
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

describe('a health indicator that never responds', () => {
  it('makes the service not ready in bounded time, and others are asked as often as callers ask', async () => {
    const healthIndicators = [SilentHealth, PrinterHealth];
    service = await startApp({ extensions: [{ module: HealthModule, healthIndicators }] });
    for (const asked of [1, 2]) {
      const response = service.request('/health/ready');
      expect(await Promise.race([response.then(({ status }) => status), delay(5_000, 'pending', { ref: false })])).toBe(
        503,
      );
      expect(await errorOf(await response)).toMatchObject({
        code: 'service_unavailable',
        message: 'The service is not ready: a health indicator failed.',
      });
      expect(service.app.get(PrinterHealth).asked).toBe(asked);
    }
  });
});
