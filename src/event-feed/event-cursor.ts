import { DomainError } from '../kernel.js';

/** A place in the log, and a time that no later event is before, but for an hour at most. */
export interface EventCursor {
  readonly place: number;
  readonly atMs: number;
}

const CURSOR = /^(0|[1-9]\d{0,15})-(0|[1-9]\d{0,15})$/;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

export const OLDEST: EventCursor = { place: 0, atMs: Infinity };

export function cursorText({ place, atMs }: EventCursor): string {
  return Buffer.from(`${place}-${atMs}`).toString('base64url');
}

/** @throws DomainError `validation_failed` */
export function parseEventCursor(text: string): EventCursor {
  const [, place, atMs] = CURSOR.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (place === undefined)
    throw new DomainError('validation_failed', 'after must be latest, or as in the Link header of the previous page.');
  return { place: Number(place), atMs: Number(atMs) };
}

/**
 * Whether events after a cursor are so old that they may have been deleted.
 * @param retentionDays how long events are kept; 0 for ever
 */
export function isOld({ atMs }: EventCursor, retentionDays: number, nowMs: number): boolean {
  // An hour for clocks that differ.
  return retentionDays > 0 && atMs < nowMs - retentionDays * DAY_MS + HOUR_MS;
}

export function cursorExpired(): DomainError {
  return new DomainError(
    'event_cursor_expired',
    'Events after this cursor may have been deleted. Read the resources again, and events from after=latest on.',
  );
}
