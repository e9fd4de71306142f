import { beforeEach, describe, expect, it } from '@jest/globals';
import { Body, Controller, Get, Injectable, Module, Post, Query } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Throttle } from '@nestjs/throttler';
import { Column, Entity, type MigrationInterface, PrimaryGeneratedColumn, type QueryRunner } from 'typeorm';
import {
  ApiError,
  type Caller,
  Clock,
  columnTypes,
  CurrentCaller,
  Database,
  EnumParam,
  type Extension,
  IntegerParam,
  Operation,
  type OperationOptions,
  type OwnErrorCode,
  TextField,
} from '../../src/index.js';
import { AccountsService } from '../../src/accounts/accounts.service.js';
import { UsageHistory, UsageRecorder } from '../../src/rate-limit/history/usage-history.js';
import { FakeClock, trio } from '../support/app.js';
import { errorOf, expectTrio } from '../support/expectations.js';
import { service, shareApp } from '../support/folders.js';
import { operationsOf } from '../support/operations.js';

/*
 * An extension as a team would add it without changes to the service: a module for reports, with a table, errors and a
 * rate limit. It imports only the public API of the service.
 */

const REPORT_TAKEN: OwnErrorCode = {
  code: 'report_title_taken',
  status: 409,
  meaning: 'Another report has that title.',
};

@Entity({ name: 'reports' })
class ReportEntity {
  @PrimaryGeneratedColumn({ type: 'integer' })
  id!: number;

  @Column({ type: 'text', unique: true })
  title!: string;

  @Column({ type: 'integer', name: 'account_id' })
  accountId!: number;

  @Column({ type: 'integer', name: 'made_at' })
  madeAt!: number;
}

class Reports1795219300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { id, int64, tableEnd } = columnTypes(runner);
    await runner.query(
      `CREATE TABLE "reports" ("id" ${id}, "title" TEXT NOT NULL UNIQUE, "account_id" ${int64} NOT NULL, "made_at" ${int64} NOT NULL) ${tableEnd}`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "reports"');
  }
}

class NewReport {
  @TextField({ description: 'Title of the report; unique.', example: 'Sales', maxLength: 40 })
  title!: string;
}

class Report extends NewReport {
  @ApiProperty({ type: 'integer', description: 'Assigned on creation.', example: 1 })
  id!: number;

  @ApiProperty({ type: String, description: 'Name of the account that made it.', example: 'demo' })
  account!: string;
}

class ListReportsQuery {
  @IntegerParam({ description: 'Most reports in the answer.', minimum: 1, maximum: 10, default: 5 })
  limit = 5;

  @EnumParam({ description: 'Order by title.', name: 'ReportOrder', values: ['asc', 'desc'] })
  order?: 'asc' | 'desc';
}

@Injectable()
class ReportsService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError `report_title_taken`; the transaction rolls back */
  create({ title }: NewReport, { account, accountId }: Caller): Promise<Report> {
    return this.database.write(async (manager) => {
      const report = manager.create(ReportEntity, { title, accountId, madeAt: this.clock.nowMs() });
      const taken = await manager.existsBy(ReportEntity, { title });
      await manager.insert(ReportEntity, taken ? { ...report, title: `${title}, again` } : report);
      if (taken) throw new ApiError(REPORT_TAKEN, `There is a report titled ${JSON.stringify(title)} already.`);
      return { id: report.id, title, account };
    });
  }

  async titles({ limit, order = 'asc' }: ListReportsQuery): Promise<string[]> {
    const reports = await this.database.manager.find(ReportEntity, { order: { title: order }, take: limit });
    return reports.map(({ title }) => title);
  }
}

const CREATE_REPORT: OperationOptions = {
  id: 'createReport',
  summary: 'Make a report',
  scope: 'reports:write',
  stability: 'experimental',
  success: { status: 201, description: 'The report.', type: Report },
  errors: [REPORT_TAKEN],
};

@Controller('reports')
class ReportsController {
  constructor(private readonly reports: ReportsService) {}

  @Post()
  @Operation(CREATE_REPORT)
  create(@Body() report: NewReport, @CurrentCaller() caller: Caller): Promise<Report> {
    return this.reports.create(report, caller);
  }

  /** Expensive, so each account can call it only twice a minute. */
  @Get()
  @Operation(operationsOf('reports:read', 'Titles of reports')('listReports', { stability: 'beta' }))
  @Throttle({ default: { limit: 2, ttl: 60_000 } })
  list(@Query() query: ListReportsQuery): Promise<string[]> {
    return this.reports.titles(query);
  }
}

@Module({ controllers: [ReportsController], providers: [ReportsService] })
class ReportsModule {}

/** The team passes this to `createApp`. */
const REPORTS: Extension = {
  module: ReportsModule,
  entities: [ReportEntity],
  migrations: [Reports1795219300000],
};

const SCOPES = ['reports:read', 'reports:write', 'pets:read'];

const clock = new FakeClock();
let key: string;

shareApp({ clock, extensions: [REPORTS] });
beforeEach(async () => {
  key = await service.key({ scopes: SCOPES });
});

const create = (title: unknown, as = key) => service.post('/v1/reports', as, { title });
const list = (as = key, query = '') => service.request(`/v1/reports${query}`, { key: as });

describe('a module of another team', () => {
  it('has routes below the prefix, and reads and writes its own table', async () => {
    const response = await create('Sales');
    expect([response.status, await response.json()]).toEqual([
      201,
      { id: expect.any(Number), title: 'Sales', account: expect.stringMatching(/^account /) },
    ]);
    await create('Adoptions');
    expect(await (await list()).json()).toEqual(['Adoptions', 'Sales']);
    expect(await (await list(key, '?limit=1&order=desc')).json()).toEqual(['Sales']);
    expect((await service.request('/reports', { key })).status).toBe(404);
  });

  it('has the same rules as the service: key, scope, method, body, parameters', async () => {
    expect(await errorOf(await service.request('/v1/reports'))).toMatchObject({ status: 401, code: 'missing_api_key' });
    const reader = await service.key();
    expect(await errorOf(await create('x', reader))).toMatchObject({
      status: 403,
      message: expect.stringContaining('reports:write'),
    });
    const refusals = [
      [await service.request('/v1/reports', { key, method: 'DELETE' }), 'method_not_allowed'],
      [await service.post('/v1/reports', key, '{"title":'), 'malformed_json'],
      [await create('x'.repeat(41)), 'validation_failed'],
      [await create(5), 'validation_failed'],
      [await service.post('/v1/reports', key, '{"title":"x","id":1}'), 'validation_failed'],
      [await service.post('/v1/reports?dry=1', key, '{"title":"x"}'), 'validation_failed'],
      [await list(key, '?limit=11'), 'validation_failed'],
      [await list(key, '?sort=asc'), 'validation_failed'],
    ] as const;
    for (const [response, code] of refusals) {
      expectTrio(response);
      expect(await errorOf(response)).toMatchObject({ code });
    }
  });

  it('returns its own errors as Error objects, and rolls back a refused write', async () => {
    await create('Once');
    const response = await create('Once');
    expectTrio(response);
    expect(await errorOf(response)).toEqual({
      code: 'report_title_taken',
      message: 'There is a report titled "Once" already.',
      status: 409,
    });
    expect(await (await list(key, '?limit=10')).json()).not.toContain('Once, again');
  });
});

describe('an additional limit by @Throttle', () => {
  it('does not affect other routes; the plan counts its refused requests, which cause no ban', async () => {
    const before = trio(await service.request('/v1/pets', { key }));
    for (let n = 0; n < 5; n += 1) await list();
    const after = trio(await service.request('/v1/pets', { key }));
    expect(after).toEqual({ ...before, remaining: Number(before.remaining) - 6 });
    expect((await create('Unthrottled')).status).toBe(201);
  });

  it('has its refusals in the usage history, as limited', async () => {
    const issued = await service.createKey({ scopes: SCOPES });
    for (let n = 0; n < 5; n += 1) await list(issued.key);
    await service.app.get(UsageRecorder).run();
    const { id } = await service.app.get(AccountsService).get(issued.account);
    const used = await service.app.get(UsageHistory).ofAll(1, id);
    expect(used).toMatchObject([{ requests: 5, admitted: 2, limited: 3, client_error: 0 }]);
  });
});
