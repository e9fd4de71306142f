import { setTimeout as delay } from 'node:timers/promises';
import { Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { HOUR_MS } from './config/clock.js';
import { describe, DomainError, innerErrorsOf } from './errors/domain-error.js';

/** How many requests this process has got. */
let requests = 0;

/** Wakes the tasks that rest while nobody uses the service. */
export function noteRequest(): void {
  requests += 1;
}

/** When a failure that lasts is logged again: in less than an hour, the interval of some tasks. */
const REMINDER_MS = 3_540_000;
/** Timers of Node run at once after a longer time, and after what is no number. */
const MAX_INTERVAL_MS = 2 ** 31 - 1;
/** How long what is under way can go on when the service stops. */
const STOP_TIMEOUT_MS = 5_000;

/** `lastSuccessSeconds` is Unix time, and 0 before the first success. */
type TaskRecord = {
  readonly name: string;
  readonly intervalSeconds: number;
  failures: number;
  lastSuccessSeconds: number;
};

/** The tasks of this process that were started, and not stopped. */
export const startedTasks = new Set<TaskRecord>();
/** The names of what a stop waits for. */
export const awaitedAtStop = new Set<() => string>();

interface TaskOptions {
  /** Runs it before the application starts, which it does after a failure too. */
  readonly runsAtStart?: boolean;
  /** Runs it once more when the application stops, unless a run does not end in time. */
  readonly runsAtStop?: boolean;
  /** Whether it runs only once an hour while the service gets no requests. */
  readonly restsWhenIdle?: () => boolean;
}

/**
 * Background work at an interval: runs do not overlap, and do not keep the process alive. A provider that extends it starts
 * and stops with the application.
 */
export class RecurringTask implements OnModuleInit, OnApplicationShutdown {
  // Private to JavaScript, so that the members of a subclass can have these names.
  readonly #intervalMs: number;
  readonly #work: (stop: AbortSignal) => Promise<void>;
  readonly #options: TaskOptions;
  readonly #record: TaskRecord;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #loggedAtMs = -Infinity;
  /** When it ran last, and how many requests there were before. */
  #ranMs = -Infinity;
  #requestsBefore = 0;
  #stop = new AbortController();

  /**
   * @param name for the log and the metrics
   * @param intervalMs from one start to the next
   * @param work is retried at the next interval if it fails; a failure is logged, and again each hour while it lasts. Its
   * signal is aborted when the task is stopped
   * @throws RangeError if no timer has that interval
   */
  constructor(name: string, intervalMs: number, work: (stop: AbortSignal) => Promise<void>, options: TaskOptions = {}) {
    if (!(intervalMs >= 1 && intervalMs <= MAX_INTERVAL_MS))
      throw new RangeError(
        `The interval of the task ${name} is ${intervalMs} ms. It must be from 1 ms to ${MAX_INTERVAL_MS} ms, which is 24 days.`,
      );
    this.#intervalMs = intervalMs;
    this.#work = work;
    this.#options = options;
    this.#record = { name, intervalSeconds: intervalMs / 1_000, failures: 0, lastSuccessSeconds: 0 };
  }

  /** Not a member, so that a subclass can have one of this name. */
  static nameOf(task: RecurringTask): string {
    return task.#record.name;
  }

  onModuleInit(): void | Promise<void> {
    if (this.#options.runsAtStart === true) return this.tryRun().then(() => this.start());
    this.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.stop();
    if (this.#options.runsAtStop === true && this.#running === undefined)
      await endsInTime(() => this.#record.name, this.tryRun());
  }

  start(): void {
    startedTasks.add(this.#record);
    this.#timer ??= setInterval(() => void (this.#rests() || this.tryRun()), this.#intervalMs).unref();
  }

  /**
   * Runs the work now, or joins the current run.
   * @throws (rejects) the error of the work
   */
  run(): Promise<void> {
    this.#running ??= this.#runOnce().finally(() => (this.#running = undefined));
    return this.#running;
  }

  /** The same, but never rejects: a failure is logged, and again each hour while it lasts. */
  async tryRun(): Promise<void> {
    try {
      await this.run();
      this.#loggedAtMs = -Infinity;
    } catch (error) {
      if (performance.now() < this.#loggedAtMs + REMINDER_MS) return;
      this.#loggedAtMs = performance.now();
      const errors = innerErrorsOf(error);
      const [first = error] = errors;
      // An unavailable server is not a fault in the code, so a stack would not help.
      const cause = describe(first, first instanceof DomainError ? 'message' : 'stack');
      new Logger('Background').error({
        message: `${this.#record.name} failed; retrying`,
        error: cause,
        count: Math.max(errors.length, 1),
      });
    }
  }

  /** Fulfilled when no run is in progress. A run that does not end in time is left running, and logged. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    startedTasks.delete(this.#record);
    this.#stop.abort();
    await endsInTime(() => this.#record.name, this.#running);
  }

  #rests(): boolean {
    // Asked each time, so that it can compare with the last time.
    if (this.#options.restsWhenIdle?.() !== true) return false;
    return requests === this.#requestsBefore && performance.now() < this.#ranMs + HOUR_MS;
  }

  async #runOnce(): Promise<void> {
    this.#ranMs = performance.now();
    this.#requestsBefore = requests;
    this.#stop = new AbortController();
    try {
      await this.#work(this.#stop.signal);
      this.#record.lastSuccessSeconds = Date.now() / 1_000;
    } catch (error) {
      this.#record.failures += 1;
      throw error;
    }
  }
}

/** Waits at a stop for work that is under way, as long as it may take. The log names what is left running. */
export async function endsInTime(name: () => string, work: Promise<unknown> | undefined): Promise<void> {
  const ended = new AbortController();
  const late = delay(STOP_TIMEOUT_MS, true, { signal: ended.signal }).catch(() => false);
  awaitedAtStop.add(name);
  const isLate = await Promise.race([late, Promise.allSettled([work]).then(() => false)]);
  awaitedAtStop.delete(name);
  ended.abort();
  if (isLate) new Logger('Background').warn({ message: `left running: ${name()}`, timeoutMs: STOP_TIMEOUT_MS });
}
