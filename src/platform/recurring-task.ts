import { Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { DomainError } from './errors/domain-error.js';

/**
 * Background work at an interval: runs do not overlap, and do not keep the process alive. A provider that extends it starts
 * and stops with the application.
 */
export class RecurringTask implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('Background');
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private failing = false;

  /**
   * @param name for the log
   * @param intervalMs from one start to the next, in milliseconds
   * @param work is retried at the next interval if it fails; the first failure of a series is logged
   */
  constructor(
    private readonly name: string,
    private readonly intervalMs: number,
    private readonly work: () => Promise<void>,
  ) {}

  onModuleInit(): void {
    this.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.stop();
  }

  start(): void {
    this.timer ??= setInterval(() => void this.tryRun(), this.intervalMs).unref();
  }

  /**
   * Runs the work now, or joins the current run.
   * @throws (rejects) the error of the work
   */
  run(): Promise<void> {
    this.running ??= this.work().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  /** The same, but never rejects: the first failure of a series is logged. */
  async tryRun(): Promise<void> {
    try {
      await this.run();
      this.failing = false;
    } catch (error) {
      if (!this.failing) {
        // An unavailable server is not a fault in the code, so a stack would not help.
        const isFault = error instanceof Error && !(error instanceof DomainError);
        this.logger.error({ message: `${this.name} failed; retrying`, error: isFault ? error.stack : String(error) });
      }
      this.failing = true;
    }
  }

  /** Fulfilled when no run is in progress. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.timer = undefined;
    await this.running?.catch(() => undefined);
  }
}
