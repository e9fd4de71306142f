import { afterEach, describe, expect, it, jest } from '@jest/globals';
import {
  Body,
  Controller,
  Get,
  Inject,
  Injectable,
  Logger,
  Module,
  Post,
  StandardSchemaValidationPipe,
  type Type,
} from '@nestjs/common';
import { APP_PIPE, ModuleRef, RouterModule } from '@nestjs/core';
import {
  HealthCheckService,
  type HealthIndicatorResult,
  HealthIndicatorService,
  TerminusModule,
} from '@nestjs/terminus';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { Counter } from '@prometheus-io/client';
import { Column, Entity, PrimaryGeneratedColumn, Repository } from 'typeorm';
import * as exported from '../../src/index.js';
import { Database, type HealthIndicator, Operation, Public, Registry } from '../../src/index.js';
import { errorOf } from '../support/expectations.js';
import { key, service, shareApp } from '../support/folders.js';
import { addHandlers, taking } from '../support/handlers.js';
import { operationsOf } from '../support/operations.js';

/** Controlled by the tests. */
const printer = { state: 'up' as 'up' | 'degraded' | 'down' | 'broken' | 'silent' };

@Injectable()
class PrinterHealth implements HealthIndicator {
  constructor(private readonly indicators: HealthIndicatorService) {}

  check(): HealthIndicatorResult | Promise<never> {
    if (printer.state === 'broken') throw new TypeError('The printer is not as its health indicator expects.');
    if (printer.state === 'silent') return new Promise<never>(() => undefined);
    const indicator = this.indicators.check('printer');
    if (printer.state === 'degraded') return indicator.degraded();
    return printer.state === 'up' ? indicator.up() : indicator.down();
  }
}

/** Is down whenever the printer does not print. */
@Injectable()
class PaperHealth implements HealthIndicator {
  constructor(private readonly indicators: HealthIndicatorService) {}

  check(): HealthIndicatorResult {
    const indicator = this.indicators.check('paper');
    return ['up', 'degraded'].includes(printer.state) ? indicator.up() : indicator.down();
  }
}

@Entity({ name: 'prints' })
class Print {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column({ type: 'text' })
  text!: string;
}

const operation = operationsOf('prints:use', 'A print');

@Controller('prints')
class PrintsController {
  private readonly prints;

  constructor(
    private readonly health: HealthCheckService,
    private readonly printerHealth: PrinterHealth,
    @InjectRepository(Print, 'prints') private readonly stored: Repository<Print>,
    private readonly database: Database,
    registry: Registry,
  ) {
    this.prints = new Counter({ name: 'prints_total', help: 'Prints.', registers: [registry] });
  }

  /** A failed transaction of the service leaves what the other database has. */
  @Post()
  @Operation(operation('print', { success: { status: 201, description: 'Printed.' } }))
  async print(): Promise<object> {
    this.prints.inc();
    const work = this.database.write(async () => {
      await this.stored.save({ text: 'kept' });
      throw new Error('on purpose');
    });
    const [{ status }] = await Promise.allSettled([work]);
    return { status, count: await this.stored.count() };
  }

  @Get('health')
  @Public()
  check(): Promise<object> {
    return this.health.check([() => this.printerHealth.check()]);
  }
}

const MODULES = [exported.PetsModule, exported.EventsModule, exported.EventDeliveryModule];
/** What they and the global modules provide. */
const SERVICES = (
  'ActiveKeys Clock CounterStore Database Deliveries DeliveryWorker Env EventLog ' +
  'EventTypes Events KeyVerifier OldRows PetsService Registry Subscriptions'
).split(' ');

@Module({
  imports: [
    ...MODULES,
    TerminusModule,
    TypeOrmModule.forRoot({
      name: 'prints',
      type: 'better-sqlite3',
      database: ':memory:',
      entities: [Print],
      synchronize: true,
    }),
    TypeOrmModule.forFeature([Print], 'prints'),
  ],
  controllers: [PrintsController],
  providers: [PrinterHealth, PaperHealth],
})
class PrintsModule {
  constructor(private readonly modules: ModuleRef) {}

  /** Creates a provider of this module that has another one injected. */
  async inject(token: Function): Promise<unknown> {
    @Injectable()
    class Injected {
      constructor(@Inject(token) readonly value: unknown) {}
    }
    return (await this.modules.create(Injected)).value;
  }
}

/** A schema of https://standardschema.dev. */
const SCHEMA = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value: unknown) =>
      Object.hasOwn(value as object, 'text') ? { value } : { issues: [{ message: 'text is missing' }] },
  },
} as const;

@Controller('reviews')
class NewReviews {
  @Get()
  @Public()
  list(): string {
    return this.constructor.name;
  }
}

addHandlers(NewReviews, { create: [Post(), Public(), taking([Body({ schema: SCHEMA }), Object])] });

@Controller('reviews')
class OldReviews extends NewReviews {}

@Module({ controllers: [NewReviews], providers: [{ provide: APP_PIPE, useClass: StandardSchemaValidationPipe }] })
class NewModule {}

@Module({ controllers: [OldReviews] })
class OldModule {}

@Module({ imports: [NewModule, OldModule, RouterModule.register([{ path: 'old', module: OldModule }])] })
class ReviewsModule {}

const PRINTS: exported.Extension = {
  module: PrintsModule,
  scopes: ['prints:cancel'],
  healthIndicators: [PrinterHealth, PaperHealth],
  errorCodes: [{ code: 'printer_jammed', status: 409, meaning: 'The printer is jammed.' }],
};

let refusals: Promise<unknown>;

shareApp(
  {
    extensions: [PRINTS, { module: ReviewsModule }],
    configure: (app) => {
      const calls = [() => app.setGlobalPrefix('api'), () => app.enableVersioning(), () => app.enableCors()];
      refusals = Promise.allSettled(calls.map(async (call) => call()));
    },
  },
  { scopes: ['prints:use', 'prints:cancel', 'pets:read', 'keys:manage'] },
);
afterEach(() => {
  printer.state = 'up';
});

const print = () => service.json('/v1/prints', { key, method: 'POST' });

describe('an extension', () => {
  it('can have a database of its own, which transactions of the service do not concern', async () => {
    const { body } = await print();
    expect(body).toEqual({ status: 'rejected', count: 1 });
    expect(await service.json('/v1/pets', { key })).toMatchObject({ status: 200, body: [] });
  });

  it('can bind the pipe that checks schemas', async () => {
    expect((await service.post('/v1/reviews', '', { text: 'good' })).status).toBe(201);
    expect((await service.post('/v1/reviews', '', {})).status).toBe(400);
  });

  it('can have controllers with the same paths if RouterModule gives them different prefixes', async () => {
    const texts = ['/v1/reviews', '/v1/old/reviews'].map(async (path) => (await service.request(path)).text());
    expect(await Promise.all(texts)).toEqual(['NewReviews', 'OldReviews']);
  });

  it('cannot move or open the API in configure()', async () => {
    expect(await refusals).toMatchObject(
      ['setGlobalPrefix', 'enableVersioning', 'enableCors'].map((method) => ({
        reason: { message: expect.stringContaining(`app.${method}() is refused. `) },
      })),
    );
  });

  it('can add metrics to the registry', async () => {
    await print();
    expect(await (await service.request('/metrics')).text()).toMatch(/^prints_total [1-9]/m);
  });

  it('can add scopes and error codes, for keys over HTTP and for the document', async () => {
    const scopes = ['prints:use', 'prints:cancel'];
    const made = await service.json('/v1/keys', { key, body: { scopes } });
    expect(made).toMatchObject({ status: 201, body: { scopes } });
    expect(await errorOf(await service.post('/v1/keys', key, { scopes: ['prints:burn'] }))).toMatchObject({
      status: 400,
      message: expect.stringContaining('prints:use'),
    });
    const { body } = await service.json<{ components: { schemas: Record<string, object> } }>('/openapi.json');
    expect(body.components.schemas).toMatchObject({
      ApiKeyScope: { enum: expect.arrayContaining(['pets:read', ...scopes]) },
      KnownErrorCode: { enum: expect.arrayContaining(['printer_jammed']) },
    });
  });

  it('gets each exported service injected, if it imports the module that has it', async () => {
    const modules = new Set<unknown>([...MODULES, exported.RedisModule]);
    const { app } = service;
    const isProvided = (value: unknown): value is Type => {
      if (typeof value !== 'function' || modules.has(value)) return false;
      try {
        return app.get(value as Type, { strict: false }) !== undefined;
      } catch {
        return false;
      }
    };
    const services = Object.values(exported).filter(isProvided);
    expect(services.map(({ name }) => name).toSorted()).toEqual(SERVICES);
    for (const token of services)
      expect(await app.get(PrintsModule).inject(token)).toBe(app.get(token, { strict: false }));
  });
});

describe('a health indicator of an extension', () => {
  it('is part of the readiness', async () => {
    const up = { status: 'ready', printer: 'up' };
    expect(await service.json('/health/ready')).toMatchObject({ status: 200, body: up });
    printer.state = 'degraded';
    const degraded = { database: 'up', printer: 'down', paper: 'up', status: 'degraded' };
    expect(await service.json('/health/ready')).toMatchObject({ status: 200, body: degraded });
  });

  it.each([
    ['down', 'printer, paper', ''],
    ['broken', 'PrinterHealth, paper', 'The printer is not as its health indicator expects.'],
    ['silent', 'PrinterHealth, paper', 'PrinterHealth did not respond within 400 ms'],
  ] as const)('that is %s makes the service not ready, and the log says why', async (state, names, reason) => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    printer.state = state;
    const response = await service.request('/health/ready');
    expect(JSON.stringify(logged.mock.calls)).toContain(reason);
    logged.mockRestore();
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await errorOf(response)).toEqual({
      status: 503,
      code: 'service_unavailable',
      message: `The service is not ready. Down: ${names}.`,
    });
    printer.state = 'up';
    expect((await service.request('/health/ready')).status).toBe(200);
  });

  it('can be called at a path of its own, with details', async () => {
    const up = { status: 'ok', details: { printer: { status: 'up' } } };
    const down = { status: 'error', details: { printer: { status: 'down' } } };
    expect(await service.json('/v1/prints/health')).toMatchObject({ status: 200, body: up });
    printer.state = 'down';
    const response = await service.json('/v1/prints/health');
    expect(response).toMatchObject({ status: 503, body: down });
    expect(response.headers.get('retry-after')).toBe('1');
  });
});
