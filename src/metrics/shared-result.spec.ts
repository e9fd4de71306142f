import { beforeEach, describe, expect, it } from '@jest/globals';
import { SharedResult } from './shared-result.js';

let nowMs: number;
let made: number;
let text: SharedResult<string>;

beforeEach(() => {
  nowMs = 5_000;
  made = 0;
  const make = async () => {
    made += 1;
    if (made === 2) throw new Error('no text');
    return `text ${made}`;
  };
  text = new SharedResult(make, 3, () => nowMs);
});

describe('a shared result', () => {
  it('is built once for concurrent requests', async () => {
    expect(await Promise.all([text.get(), text.get(), text.get()])).toEqual(['text 1', 'text 1', 'text 1']);
  });

  it('is rebuilt for later requests, up to its maximum rate', async () => {
    const texts: string[] = [];
    for (let n = 0; n < 5; n += 1) texts.push(await text.get().catch(String));
    expect(texts).toEqual(['text 1', 'Error: no text', 'text 3', 'text 3', 'text 3']);
    nowMs += 999;
    expect(await text.get()).toBe('text 3');
    nowMs += 1;
    expect(await text.get()).toBe('text 4');
  });
});
