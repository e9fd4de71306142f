import { describe, expect, it } from '@jest/globals';
import { cursorText, parseCursor } from './event-cursor.js';

const DAY_MS = 86_400_000;
const NOW_MS = Date.parse('2026-11-21T12:00:00Z');

describe('a cursor', () => {
  const old = { place: 7, atMs: NOW_MS - 30 * DAY_MS };

  it('never expires if events are kept for ever', () => {
    expect(parseCursor(cursorText(old), 0, NOW_MS)).toEqual(old);
  });

  it('expires an hour before events after it are deleted', () => {
    const latest = { ...old, atMs: old.atMs + 3_600_000 };
    expect(parseCursor(cursorText(latest), 30, NOW_MS)).toEqual(latest);
    expect(() => parseCursor(cursorText({ ...latest, atMs: latest.atMs - 1 }), 30, NOW_MS)).toThrow('may have been');
  });
});
