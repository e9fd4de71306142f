import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Optional } from '@nestjs/common';
import { Database } from '../database/index.js';
import { ApiError } from '../errors/index.js';
import { RedisLink } from '../redis/index.js';

/**
 * How long the service serves on when it was told to end, and says that it is not ready: load balancers that look
 * every second then send nothing more by the time when it closes, in milliseconds.
 */
const NOTICE_MS = 2_000;

export interface ReadinessReport {
  /** Degraded: the service serves all requests, but its instances count for themselves. */
  readonly status: 'ready' | 'degraded';
  readonly database: 'up';
  /** Absent where no Redis is configured. */
  readonly redis?: 'up' | 'down';
}

/** Whether the service can serve requests. */
@Injectable()
export class Readiness implements BeforeApplicationShutdown {
  private ending = false;

  constructor(
    private readonly database: Database,
    @Optional() private readonly redis?: RedisLink,
  ) {}

  /** Whether the service was told to end, and serves on for a moment. */
  get isEnding(): boolean {
    return this.ending;
  }

  /** @throws ApiError `service_unavailable` */
  async report(): Promise<ReadinessReport> {
    if (this.ending) throw new ApiError('service_unavailable', 'This instance is about to end. Ask another one.', { 'retry-after': '1' });
    await this.database.read((manager) => manager.query('SELECT 1'));
    if (this.redis === undefined) return { status: 'ready', database: 'up' };
    return this.redis.isUp ? { status: 'ready', database: 'up', redis: 'up' } : { status: 'degraded', database: 'up', redis: 'down' };
  }

  /** @param signal that ends the process; who closes it otherwise, or at a keyboard, need not wait */
  async beforeApplicationShutdown(signal?: string): Promise<void> {
    if (signal !== 'SIGTERM') return;
    this.ending = true;
    await delay(NOTICE_MS);
  }
}
