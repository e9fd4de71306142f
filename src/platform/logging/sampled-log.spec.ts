import { afterEach, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { SampledLog } from './sampled-log.js';

const LIST = { method: 'GET', route: '/v1/pets', status: 500 };

afterEach(() => void jest.useRealTimers());

// More of it: failing-extensions.spec.ts, and operators.spec.ts.
it('a sampled log has the first event of a kind in full, and the number of the others after 10 seconds', () => {
  jest.useFakeTimers();
  const lines: unknown[] = [];
  jest.spyOn(Logger.prototype, 'error').mockImplementation((line) => lines.push(line));
  const log = new SampledLog('Errors', 'error', { first: 'failed', others: 'more failed' });
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
