import type { Env } from '../config/index.js';

/** When an operation with this removal date (`YYYY-MM-DD`, UTC) ends, in Unix time in milliseconds; never if a setting keeps it. */
export function removalMs(sunset: string, env: Env): number {
  return env.SERVE_AFTER_SUNSET ? Infinity : Date.parse(sunset);
}
