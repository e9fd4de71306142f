const TICK_MS = 5;
/** A tick that comes later than this says that processor time is short: Redis may be waiting for it as well. */
const LATE_TICK_MS = 7;
/** So many commands are waited for one tick longer: a burst keeps the whole machine busy, and Redis may come last. */
const COMMANDS_PER_TICK = 20;
/** After so many timeouts, and twice the ticks, a silence is believed though ticks came late or much is awaited. */
const MOST_TIMEOUTS = 2.5;

/** A moment as the watch counts: in ticks, and in milliseconds. */
export interface Moment {
  readonly tick: number;
  readonly ms: number;
}

export interface Watched {
  /** When the oldest of what is still awaited was sent; undefined when nothing is. */
  awaitedSince(): Moment | undefined;
  /** How many commands are awaited. */
  awaited(): number;
  /** How much came from Redis so far. */
  bytesRead(): number;
  /** Redis is silent: nothing more is to be awaited. */
  giveUp(): void;
}

/**
 * Tells a silent Redis from a late event loop. It counts ticks after which the loop read what was on the socket and
 * found nothing; a tick counts as one however late it was. There is one timer for all that is awaited.
 */
export class ResponseWatchdog {
  private now: Moment = { tick: 0, ms: 0 };
  /** The last tick before which something came from Redis. */
  private heard = this.now;
  /** The last tick that came late. */
  private late = this.now;
  private bytesRead = 0;
  private timer: NodeJS.Timeout | undefined;

  /** Ticks of silence, less the first one, which may come at once. */
  private readonly silentTicks: number;

  /** @param timeoutMs silence after which Redis counts as away */
  constructor(
    private readonly timeoutMs: number,
    private readonly watched: Watched,
  ) {
    this.silentTicks = Math.floor(timeoutMs / TICK_MS) - 1;
  }

  /** To be called when something is sent; tells when that is. */
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
    // The loop may have been late: what waits on the socket is read between timers and this.
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
