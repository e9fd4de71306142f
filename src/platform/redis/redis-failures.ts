import { Logger } from '@nestjs/common';
import { ConfigError } from '../config/load-env.js';

/** A Redis that is not one for the counters of this service. */
export class UnusableRedisError extends ConfigError {}

/** Replies to every command, or to every write: of a server that starts, follows another one, is full or busy, or alone. */
const OUTAGE = /^(BUSY|CLUSTERDOWN|LOADING|MASTERDOWN|MISCONF|NOAUTH|NOREPLICAS|OOM|READONLY|WRONGPASS)\b/;

/** Whether other commands would fail too. What is no reply is about the connection. */
export function isOutage({ name, message }: Error): boolean {
  return name !== 'ReplyError' || OUTAGE.test(message);
}

const REMINDER_MS = { unavailable: 60_000, unusable: 3_600_000 };

/** Tells operators when Redis becomes unavailable and available, and what it refuses. */
export class RedisLog {
  private readonly logger = new Logger('Redis');
  private reported: 'available' | keyof typeof REMINDER_MS = 'available';
  private reportedAtMs = 0;
  private refusedAtMs = -REMINDER_MS.unavailable;

  available(): void {
    if (this.reported === 'available') return;
    this.reported = 'available';
    this.logger.log({ message: 'Redis is available again; using its counters' });
  }

  unavailable(error: Error): void {
    const state = error instanceof UnusableRedisError ? 'unusable' : 'unavailable';
    // The connection to a Redis that cannot be used is closed, and opened again.
    if (this.reported === 'unusable' && state === 'unavailable') return;
    const nowMs = performance.now();
    if (this.reported === state && nowMs < this.reportedAtMs + REMINDER_MS[state]) return;
    this.reported = state;
    this.reportedAtMs = nowMs;
    const reason = error.message;
    if (state === 'unusable') this.logger.error({ message: 'Redis cannot be used', reason });
    else this.logger.warn({ message: 'Redis is unavailable; using local counters', reason });
  }

  refused({ message: reason }: Error, command: string, key: string | number | undefined): void {
    if (performance.now() < this.refusedAtMs + REMINDER_MS.unavailable) return;
    this.refusedAtMs = performance.now();
    this.logger.warn({ message: 'Redis refused a command; using local counters for it', command, key, reason });
  }
}
