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

const LIST_REPORTS: OperationOptions = {
  id: 'listReports',
  summary: 'List titles of reports',
  scope: 'reports:read',
  stability: 'beta',
  success: { status: 200, description: 'Titles.' },
  errors: [],
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
  @Operation(LIST_REPORTS)
  @Throttle({ default: { limit: 2, ttl: 60_000 } })
  list(@Query() query: ListReportsQuery): Promise<string[]> {
    return this.reports.titles(query);
  }
}

@Module({ controllers: [ReportsController], providers: [ReportsService] })
class ReportsModule {}

/** The team passes this to `createApp`. */
export const REPORTS: Extension = {
  module: ReportsModule,
  entities: [ReportEntity],
  migrations: [Reports1795219300000],
};
