import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { HealthIndicatorResult } from '@nestjs/terminus';
import { ApiError } from '../http/index.js';
import { DomainError } from '../platform/index.js';
import type { HealthIndicator } from './health-indicator.js';

/** The classes of the health indicators. */
export const HEALTH_INDICATORS = Symbol('HEALTH_INDICATORS');

/**
 * How long the service keeps serving after the signal to stop while it is not ready, in milliseconds: load balancers that
 * check every second send nothing more when it closes.
 */
const NOTICE_MS = 2_000;

/** How long one health indicator can take, in milliseconds: load balancers often wait one second for a response. */
const CHECK_TIMEOUT_MS = 800;

/** Each dependency under its name, and `degraded` if one is down that requests do not need. */
export type ReadinessReport = Readonly<Record<string, 'up' | 'down'>> | { readonly status: 'ready' | 'degraded' };

/** Whether the service can serve requests. */
@Injectable()
export class Readiness implements OnModuleInit, BeforeApplicationShutdown {
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

  /**
   * Shares one check between concurrent callers, because anybody can call it.
   * @throws ApiError `service_unavailable`
   */
  async report(): Promise<ReadinessReport> {
    if (this.isEnding) throw ending();
    this.checking ??= this.check().finally(() => {
      this.checking = undefined;
    });
    return this.checking;
  }

  private async check(): Promise<ReadinessReport> {
    const results = await Promise.all(this.indicators.map(checkInTime)).catch((cause: unknown) => {
      throw new DomainError('service_unavailable', 'The service is not ready: a health indicator failed.', { cause });
    });
    if (this.isEnding) throw ending();
    const parts = results.flatMap((result) => Object.entries(result));
    const down = parts.filter(([, { status }]) => status === 'down').map(([name]) => name);
    if (down.length > 0)
      throw new DomainError('service_unavailable', `The service is not ready. Down: ${down.join(', ')}.`);
    const report = parts.map(([name, { status }]) => [name, status === 'up' ? 'up' : 'down'] as const);
    const isDegraded = report.some(([, status]) => status === 'down');
    return { ...Object.fromEntries(report), status: isDegraded ? 'degraded' : 'ready' };
  }

  /** Makes the service not ready. It keeps serving for a moment. */
  async end(noticeMs = NOTICE_MS): Promise<void> {
    this.isEnding = true;
    await delay(noticeMs);
  }

  /**
   * For applications that Nest stops.
   * @param signal that stops the process; only SIGTERM waits
   */
  async beforeApplicationShutdown(signal?: string): Promise<void> {
    if (!this.isEnding) await this.end(signal === 'SIGTERM' ? NOTICE_MS : 0);
  }
}

async function checkInTime(indicator: HealthIndicator): Promise<HealthIndicatorResult> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const reason = `${indicator.constructor.name} did not respond within ${CHECK_TIMEOUT_MS} ms`;
  const timer = setTimeout(() => reject(new Error(reason)), CHECK_TIMEOUT_MS);
  try {
    return await Promise.race([indicator.check(), late]);
  } finally {
    clearTimeout(timer);
  }
}

function ending(): ApiError {
  const headers = { 'retry-after': '1' };
  return new ApiError('service_unavailable', 'This instance is shutting down. Use another one.', headers, true);
}
