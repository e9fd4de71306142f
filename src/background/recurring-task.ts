import { Logger } from '@nestjs/common';

/** Work done in the background at an interval: never twice at a time, and never keeping the process alive. */
export class RecurringTask {
  private readonly logger = new Logger('Background');
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private failing = false;

  /**
   * @param name what the work is, for the log
   * @param intervalMs from one start to the next, in milliseconds
   * @param work may fail; it is tried again at the next interval, and the log has the first failure of a series
   */
  constructor(
    private readonly name: string,
    private readonly intervalMs: number,
    private readonly work: () => Promise<void>,
  ) {}

  start(): void {
    this.timer ??= setInterval(() => void this.run(), this.intervalMs).unref();
  }

  /** Does the work now, or joins the run that is under way; never rejects. */
  run(): Promise<void> {
    this.running ??= this.attempt().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  /** Fulfilled once no run is under way any more. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.timer = undefined;
    await this.running;
  }

  private async attempt(): Promise<void> {
    try {
      await this.work();
      this.failing = false;
    } catch (error) {
      if (!this.failing) this.logger.warn({ message: `${this.name} failed, trying on`, error: String(error) });
      this.failing = true;
    }
  }
}
