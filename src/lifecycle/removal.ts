import type { Clock, Env } from '../config/index.js';

/** Whether an operation with this removal date (`YYYY-MM-DD`, UTC) is gone by now. */
export function isRemoved(sunset: string, clock: Clock, env: Env): boolean {
  return clock.nowMs() >= Date.parse(sunset) && !env.SERVE_AFTER_SUNSET;
}
