import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { HealthIndicatorResult } from '@nestjs/terminus';
import { ApiError } from '../http/errors/api-error.js';
import { DomainError } from '../platform/errors/domain-error.js';
import type { HealthIndicator } from './health-indicator.js';

export const HEALTH_INDICATORS = Symbol('HEALTH_INDICATORS');

/** Until the service closes, load balancers that check every second have noticed that it is not ready. */
const NOTICE_MS = 2_000;

/** How long one health indicator can take, in milliseconds: load balancers often wait one second for a response. */
const CHECK_TIMEOUT_MS = 400;

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
    @Inject(HEALTH_INDICATORS) private readonly types: readonly Type<HealthIndicator>[],
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
    const down = parts.filter(([, { status }]) => status === 'down').map(([name]) => name);
    if (down.length > 0)
      throw new DomainError('service_unavailable', `The service is not ready. Down: ${down.join(', ')}.`, { cause });
    const report = parts.map(([name, { status }]) => [name, status === 'up' ? 'up' : 'down'] as const);
    const isDegraded = report.some(([, status]) => status === 'down');
    return { ...Object.fromEntries(report), status: isDegraded ? 'degraded' : 'ready' };
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
  return Promise.race([indicator.check(), delay(CHECK_TIMEOUT_MS, undefined, { ref: false }).then(fail)]);
}

/** Its class, or `mail` for a `MailHealthIndicator`, as results have it. */
function nameOf({ constructor: { name } }: HealthIndicator): string {
  const [, first = '', rest = ''] = /^(.)(.*)HealthIndicator$/.exec(name) ?? [];
  return first === '' ? name : first.toLowerCase() + rest;
}

function ending(): ApiError {
  const headers = { 'retry-after': '1' };
  return new ApiError('service_unavailable', 'This instance is shutting down. Use another one.', headers, true);
}
