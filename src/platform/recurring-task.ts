import { Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { DomainError } from './errors/domain-error.js';
import { endsInTime } from './ends-in-time.js';

/** How often a failure that lasts is logged again, in milliseconds: less than an hour, the interval of some tasks. */
const REMINDER_MS = 3_540_000;

/** What metrics show of a task. */
export interface TaskRecord {
  readonly name: string;
  failures: number;
  /** Unix time in seconds; 0 before the first success. */
  lastSuccessSeconds: number;
}

/** The tasks of this process that were started, and not stopped. */
export const startedTasks = new Set<TaskRecord>();

/**
 * Background work at an interval: runs do not overlap, and do not keep the process alive. A provider that extends it starts
 * and stops with the application.
 */
export class RecurringTask implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('Background');
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  /** Private to JavaScript, so that the fields of a subclass can have these names. */
  readonly #record: TaskRecord;
  readonly #runsAtStop: boolean;
  #loggedAtMs = -Infinity;
  #stop = new AbortController();

  /**
   * @param name for the log and the metrics
   * @param intervalMs from one start to the next, in milliseconds
   * @param work is retried at the next interval if it fails; a failure is logged, and again each hour while it lasts. Its
   * signal is aborted when the task is stopped
   * @param options `runsAtStop` runs it once more when the application stops, unless a run does not end in time
   */
  constructor(
    private readonly name: string,
    private readonly intervalMs: number,
    private readonly work: (stop: AbortSignal) => Promise<void>,
    options: { readonly runsAtStop?: boolean } = {},
  ) {
    this.#record = { name, failures: 0, lastSuccessSeconds: 0 };
    this.#runsAtStop = options.runsAtStop === true;
  }

  onModuleInit(): void {
    this.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.stop();
    if (this.#runsAtStop && this.running === undefined) await endsInTime(() => this.name, this.tryRun());
  }

  start(): void {
    startedTasks.add(this.#record);
    this.timer ??= setInterval(() => void this.tryRun(), this.intervalMs).unref();
  }

  /**
   * Runs the work now, or joins the current run.
   * @throws (rejects) the error of the work
   */
  run(): Promise<void> {
    this.running ??= this.#work().finally(() => (this.running = undefined));
    return this.running;
  }

  /** The same, but never rejects: a failure is logged, and again each hour while it lasts. */
  async tryRun(): Promise<void> {
    try {
      await this.run();
      this.#loggedAtMs = -Infinity;
    } catch (error) {
      if (performance.now() < this.#loggedAtMs + REMINDER_MS) return;
      this.#loggedAtMs = performance.now();
      const errors: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
      this.logger.error({ message: `${this.name} failed; retrying`, error: describe(errors[0]), count: errors.length });
    }
  }

  /** Fulfilled when no run is in progress. A run that does not end in time is left running, and logged. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.timer = undefined;
    startedTasks.delete(this.#record);
    this.#stop.abort();
    await endsInTime(
      () => this.name,
      this.running?.catch(() => undefined),
    );
  }

  async #work(): Promise<void> {
    this.#stop = new AbortController();
    try {
      await this.work(this.#stop.signal);
      this.#record.lastSuccessSeconds = Date.now() / 1_000;
    } catch (error) {
      this.#record.failures += 1;
      throw error;
    }
  }
}

/** An unavailable server is not a fault in the code, so a stack would not help. */
function describe(error: unknown): string | undefined {
  return error instanceof Error && !(error instanceof DomainError) ? error.stack : String(error);
}
