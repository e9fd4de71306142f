const TICK_MS = 5;
/** A tick that is later than this, in milliseconds, shows a busy machine, where Redis may be slow too. */
const LATE_TICK_MS = 7;
/** One more tick for each such number of commands in flight: a burst keeps the machine busy, and Redis may run last. */
const COMMANDS_PER_TICK = 20;
/** After this many timeouts, and twice the ticks, Redis counts as silent in spite of late ticks or many commands. */
const MOST_TIMEOUTS = 2.5;

/** A point in time, in ticks and in milliseconds. */
export interface Moment {
  readonly tick: number;
  readonly ms: number;
}

export interface Watched {
  /** When the oldest command in flight was sent; undefined if there is none. */
  awaitedSince(): Moment | undefined;
  /** Number of commands in flight. */
  awaited(): number;
  /** Number of bytes received from Redis so far. */
  bytesRead(): number;
  /** Called when Redis is silent, to fail the commands in flight. */
  giveUp(): void;
}

/**
 * Distinguishes a silent Redis from a late event loop. It counts ticks after which the loop read the socket and found
 * nothing. A late tick counts as one. One timer watches all commands in flight.
 */
export class ResponseWatchdog {
  private now: Moment = { tick: 0, ms: 0 };
  /** The last tick with data from Redis. */
  private heard = this.now;
  /** The last late tick. */
  private late = this.now;
  private bytesRead = 0;
  private timer: NodeJS.Timeout | undefined;

  /** Number of silent ticks to wait for, without the first one, which can come at once. */
  private readonly silentTicks: number;

  /** @param timeoutMs silence after which Redis counts as unavailable */
  constructor(
    private readonly timeoutMs: number,
    private readonly watched: Watched,
  ) {
    this.silentTicks = Math.floor(timeoutMs / TICK_MS) - 1;
  }

  /** Call it when a command is sent. @returns the current moment */
  begin(): Moment {
    if (this.timer === undefined) {
      this.bytesRead = this.watched.bytesRead();
      this.now = { ...this.now, ms: performance.now() };
      this.arm();
    }
    return this.now;
  }

  private arm(): void {
    this.timer = setTimeout(() => this.tick(), TICK_MS).unref();
  }

  private tick(): void {
    const ms = performance.now();
    const wasLate = ms - this.now.ms > LATE_TICK_MS;
    this.now = { tick: this.now.tick + 1, ms };
    if (wasLate) this.late = this.now;
    const since = this.watched.awaitedSince();
    if (since === undefined) {
      this.timer = undefined;
      return;
    }
    this.listen();
    if (!this.isOverdue(since)) return this.arm();
    // The loop may have been late. Data on the socket is read between timers and this callback.
    setImmediate(() => {
      this.listen();
      if (this.watched.awaitedSince() === since && this.isOverdue(since)) this.watched.giveUp();
      this.arm();
    });
  }

  private listen(): void {
    const bytesRead = this.watched.bytesRead();
    if (bytesRead !== this.bytesRead) this.heard = this.now;
    this.bytesRead = bytesRead;
  }

  private isOverdue(since: Moment): boolean {
    const { tick, ms } = this.now;
    const silent = since.tick > this.heard.tick ? since : this.heard;
    const patience = this.silentTicks + this.watched.awaited() / COMMANDS_PER_TICK;
    if (tick - Math.max(silent.tick, this.late.tick) >= patience) return true;
    return tick - silent.tick >= 2 * this.silentTicks && ms - silent.ms >= MOST_TIMEOUTS * this.timeoutMs;
  }
}
