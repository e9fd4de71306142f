import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnModuleInit, Optional, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { Database } from '../database/database.js';
import { ApiError } from '../http/errors/api-error.js';
import { DomainError } from '../platform/errors/domain-error.js';
import { noteRequest } from '../platform/recurring-task.js';
import { RedisClient } from '../platform/redis/redis-client.js';

/** Until the service closes, load balancers that check every second have noticed that it is not ready. */
const NOTICE_MS = 2_000;
/** Load balancers often wait one second for the response to all checks. */
const CHECK_TIMEOUT_MS = 400;

/**
 * A dependency of readiness. Create its result with `HealthIndicatorService` of `@nestjs/terminus`: `down`, as well as a check
 * of more than 0.4 seconds, makes the service not ready; `degraded` only informs operators.
 */
export interface HealthIndicator {
  check(): HealthIndicatorResult | Promise<HealthIndicatorResult>;
}

@Injectable()
export class DatabaseHealthIndicator implements HealthIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly database: Database,
  ) {}

  async check(): Promise<HealthIndicatorResult> {
    // If it fails, the response is the one of any request while the database is unavailable.
    await this.database.ping();
    // The database does not rest then anyway, so that tasks can look for what command lines and other instances left.
    noteRequest();
    return this.indicators.check('database').up();
  }
}

@Injectable()
export class RedisHealthIndicator implements HealthIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    @Optional() private readonly redis?: RedisClient,
  ) {}

  /** Without Redis or a part of it, the service serves all requests but uses local counters. Empty if Redis is not configured. */
  check(): HealthIndicatorResult {
    if (this.redis === undefined) return {};
    const indicator = this.indicators.check('redis');
    // For the next report: this one must not wait.
    this.redis.refresh();
    return this.redis.shareUp === 1 ? indicator.up() : indicator.degraded();
  }
}

/** Each dependency under its name, and `degraded` if one is down that requests do not need. */
export type ReadinessReport = Readonly<Record<string, 'up' | 'down'>> | { readonly status: 'ready' | 'degraded' };

@Injectable()
export class Readiness implements OnModuleInit {
  /** Whether the service is stopping. After SIGTERM it still serves for a moment. */
  isEnding = false;
  private indicators: readonly HealthIndicator[] = [];
  private checking: Promise<ReadinessReport> | undefined;

  constructor(
    private readonly modules: ModuleRef,
    private readonly types: readonly Type<HealthIndicator>[],
  ) {}

  onModuleInit(): void {
    this.indicators = this.types.map((type) => this.modules.get(type, { strict: false }));
  }

  /** Concurrent callers share one check, because anybody can call it. @throws (rejects) DomainError `service_unavailable` */
  async report(): Promise<ReadinessReport> {
    if (this.isEnding) throw ending();
    this.checking ??= this.check().finally(() => (this.checking = undefined));
    return this.checking;
  }

  private async check(): Promise<ReadinessReport> {
    let cause: unknown;
    const checks = this.indicators.map((indicator) =>
      checkInTime(indicator).catch((error: unknown): HealthIndicatorResult => {
        cause ??= error;
        return { [nameOf(indicator)]: { status: 'down' } };
      }),
    );
    const results = await Promise.all(checks);
    if (this.isEnding) throw ending();
    const parts = results.flatMap((result) => Object.entries(result));
    const down = parts.flatMap(([name, { status }]) => (status === 'down' ? [name] : []));
    if (down.length > 0)
      throw new DomainError('service_unavailable', `The service is not ready. Down: ${down.join(', ')}.`, { cause });
    const report = parts.map(([name, { status }]) => [name, status === 'up' ? 'up' : 'down'] as const);
    const isReady = report.every(([, status]) => status === 'up');
    return { ...Object.fromEntries(report), status: isReady ? 'ready' : 'degraded' };
  }

  async end(signal?: NodeJS.Signals): Promise<void> {
    this.isEnding = true;
    if (signal === 'SIGTERM') await delay(NOTICE_MS);
  }
}

async function checkInTime(indicator: HealthIndicator): Promise<HealthIndicatorResult> {
  const fail = (): never => {
    throw new Error(`${nameOf(indicator)} did not respond within ${CHECK_TIMEOUT_MS} ms`);
  };
  // The check comes first: if it throws, nobody would handle the failure of the delay.
  const result = await Promise.race([indicator.check(), delay(CHECK_TIMEOUT_MS, undefined, { ref: false }).then(fail)]);
  if (!isObject(result) || !Object.values(result).every(isObject))
    throw new Error(`${nameOf(indicator)} returned no result. Is a return missing?`);
  return result;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Its class, or `mail` for a `MailHealthIndicator`, as results have it. */
function nameOf({ constructor: { name } }: HealthIndicator): string {
  return name.replace(/^(.)(.*)HealthIndicator$/, (_, first: string, rest: string) => first.toLowerCase() + rest);
}

function ending(): ApiError {
  const headers = { 'retry-after': '1' };
  return new ApiError('service_unavailable', 'This instance is shutting down. Use another one.', headers, true);
}
