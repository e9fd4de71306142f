import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';

/** How long what is under way can go on when the service stops, in milliseconds. */
const STOP_TIMEOUT_MS = 5_000;

const awaited = new Set<() => string>();

/** The names of what a stop waits for. */
export function awaitedAtStop(): string[] {
  return Array.from(awaited, (name) => name());
}

/**
 * Waits at a stop for work that is under way, as long as it may take. The log names what is left running.
 * @param work never rejects
 */
export async function endsInTime(name: () => string, work: Promise<unknown> | undefined): Promise<void> {
  const ended = new AbortController();
  const late = delay(STOP_TIMEOUT_MS, true, { signal: ended.signal }).catch(() => false);
  awaited.add(name);
  const isLate = await Promise.race([late, Promise.resolve(work).then(() => false)]);
  awaited.delete(name);
  ended.abort();
  if (isLate) new Logger('Background').warn({ message: `left running: ${name()}`, timeoutMs: STOP_TIMEOUT_MS });
}
