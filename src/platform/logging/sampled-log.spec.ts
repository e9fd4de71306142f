import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { SampledLog } from './sampled-log.js';

const LIST = { method: 'GET', route: '/v1/pets', status: 500 };

let lines: unknown[];
let log: SampledLog;

beforeEach(() => {
  jest.useFakeTimers();
  lines = [];
  jest.spyOn(Logger.prototype, 'error').mockImplementation((line) => lines.push(line));
  log = new SampledLog('Errors', 'error', { first: 'failed', others: 'more failed' });
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

describe('a sampled log', () => {
  it('has the first event of a kind in full, and the number of the others after 10 seconds', () => {
    for (let n = 1; n <= 4; n += 1) log.add(LIST, { requestId: n });
    expect(lines).toEqual([{ message: 'failed', ...LIST, requestId: 1 }]);
    jest.advanceTimersByTime(10_000);
    expect(lines.slice(1)).toEqual([{ message: 'more failed', ...LIST, count: 3 }]);
    log.add(LIST, { requestId: 5 });
    log.add(LIST, { requestId: 6 });
    jest.advanceTimersByTime(10_000);
    expect(lines.slice(2)).toEqual([
      { message: 'failed', ...LIST, requestId: 5 },
      { message: 'more failed', ...LIST, count: 1 },
    ]);
  });

  it('has an event with another cause in full, up to the fifth cause', () => {
    for (const cause of ['a', 'b', 'a', 'c', 'd', 'e', 'f', 'g']) log.add(LIST, { error: cause }, cause);
    log.flush();
    expect(lines).toEqual([
      ...['a', 'b', 'c', 'd', 'e'].map((error) => ({ message: 'failed', ...LIST, error })),
      { message: 'more failed', ...LIST, count: 3 },
    ]);
  });

  it('keeps kinds apart, and has no count for one that happened once', () => {
    log.add(LIST, { requestId: 1 });
    log.add({ ...LIST, method: 'POST' }, { requestId: 2 });
    jest.advanceTimersByTime(10_000);
    expect(lines).toHaveLength(2);
  });
});
