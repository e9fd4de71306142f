import { Logger } from '@nestjs/common';

/** Minimum time between two lines, in milliseconds. */
const INTERVAL_MS = 60_000;

/**
 * Logs connections on which no request arrived. Anybody can open many of them, so they are summed up: one line for the first
 * at once, then one line per minute.
 */
export class RefusalLog {
  private readonly logger = new Logger('Connections');
  private readonly countByReason = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private lastRequestId: string | undefined;

  /** @param reason the status of the response, or the setting that left no response */
  add(reason: string, requestId?: string): void {
    this.countByReason.set(reason, (this.countByReason.get(reason) ?? 0) + 1);
    this.lastRequestId = requestId ?? this.lastRequestId;
    if (this.timer === undefined) this.write();
  }

  private write(): void {
    this.timer = undefined;
    if (this.countByReason.size === 0) return;
    this.logger.warn({
      message: 'refused connections',
      countByReason: Object.fromEntries(this.countByReason),
      lastRequestId: this.lastRequestId,
    });
    this.countByReason.clear();
    this.timer = setTimeout(() => this.write(), INTERVAL_MS).unref();
  }
}
