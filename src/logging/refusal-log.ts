import { Logger } from '@nestjs/common';

/** Minimum time between two lines, in milliseconds. */
const INTERVAL_MS = 60_000;

/**
 * Logs requests that Node's HTTP parser refused. Anybody can send many of them, so they are summed up: one line for the
 * first at once, then one line per minute.
 */
export class RefusalLog {
  private readonly logger = new Logger('Parser');
  private readonly countByStatus = new Map<number, number>();
  private timer: NodeJS.Timeout | undefined;
  private lastRequestId = '';

  add(status: number, requestId: string): void {
    this.countByStatus.set(status, (this.countByStatus.get(status) ?? 0) + 1);
    this.lastRequestId = requestId;
    if (this.timer === undefined) this.write();
  }

  private write(): void {
    this.timer = undefined;
    if (this.countByStatus.size === 0) return;
    this.logger.warn({
      message: 'refused requests that are not valid HTTP',
      countByStatus: Object.fromEntries(this.countByStatus),
      lastRequestId: this.lastRequestId,
    });
    this.countByStatus.clear();
    this.timer = setTimeout(() => this.write(), INTERVAL_MS).unref();
  }
}
