import { Clock } from '../platform/config/clock.js';

/** A clock that stands still until the test advances it. It does not start on a whole second, like most real times. */
export class FakeClock extends Clock {
  override readonly isReal: boolean = false;

  constructor(public ms: number = Date.parse('2026-11-21T12:00:00.250Z')) {
    super();
  }

  override nowMs(): number {
    return this.ms;
  }

  advanceMs(durationMs: number): void {
    this.ms += durationMs;
  }

  advanceSeconds(seconds: number): void {
    this.ms += Math.round(seconds * 1000);
  }

  set(iso: string): void {
    this.ms = Date.parse(iso);
  }
}
