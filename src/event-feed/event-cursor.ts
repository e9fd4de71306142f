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

/**
 * @param retentionDays how long events are kept; 0 for ever
 * @throws DomainError `validation_failed`; `event_cursor_expired` if events after it may have been deleted
 */
export function parseCursor(text: string, retentionDays: number, nowMs: number): EventCursor {
  const [, place, atMs] = CURSOR.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (place === undefined)
    throw new DomainError('validation_failed', 'after must be latest, or as in the Link header of the previous page.');
  const cursor = { place: Number(place), atMs: Number(atMs) };
  // An hour for clocks that differ.
  if (retentionDays > 0 && cursor.atMs < nowMs - retentionDays * DAY_MS + HOUR_MS) throw cursorExpired();
  return cursor;
}

export function cursorExpired(): DomainError {
  return new DomainError(
    'event_cursor_expired',
    'Events after this cursor may have been deleted. Read the resources again, and events from after=latest on.',
  );
}
