export const MINUTE_SECONDS = 60;
export const DAY_SECONDS = 86_400;

/** How far the clock may step back before a window counts as one of the future, in seconds. */
export const STEP_BACK_SECONDS = 60;

/**
 * Whether a window still counts. All times are whole seconds of Unix time.
 * A window that has not begun yet was opened before the clock stepped back: after a small step it holds, since the
 * step must give nobody fresh quota; after a large one it is void, since it would lock its owner out until then.
 */
export function isOpen(startSeconds: number, lengthSeconds: number, nowSeconds: number): boolean {
  const ageSeconds = nowSeconds - startSeconds;
  return ageSeconds < lengthSeconds && ageSeconds >= -STEP_BACK_SECONDS;
}

/** Start of the UTC day. */
export function dayStart(nowSeconds: number): number {
  return nowSeconds - (nowSeconds % DAY_SECONDS);
}
