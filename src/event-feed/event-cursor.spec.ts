import { describe, expect, it } from '@jest/globals';
import { cursorText, isOld, parseEventCursor } from './event-cursor.js';

const DAY_MS = 86_400_000;
const NOW_MS = Date.parse('2026-11-21T12:00:00Z');

describe('a cursor', () => {
  const old = { place: 7, atMs: NOW_MS - 30 * DAY_MS };

  it('is read from its text', () => {
    expect(parseEventCursor(cursorText(old))).toEqual(old);
  });

  it('is never old if events are kept for ever', () => {
    expect(isOld(old, 0, NOW_MS)).toBe(false);
  });

  it('is old an hour before events after it are deleted', () => {
    const atMs = old.atMs + 3_600_000;
    expect([atMs, atMs - 1].map((ms) => isOld({ ...old, atMs: ms }, 30, NOW_MS))).toEqual([false, true]);
  });
});
