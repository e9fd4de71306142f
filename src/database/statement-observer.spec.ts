import { expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { StatementObserver } from './statement-observer.js';

it.each([
  ['sqlite', 201, [{ message: 'slow statement', statement: 'SELECT * FROM "pets"', durationMs: 201 }]],
  ['sqlite', 200, []],
  // There, it is logged while it runs.
  ['postgresql', 201, []],
] as const)('a statement on %s that took %i ms is logged if that is slow', async (system, durationMs, lines) => {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
  jest
    .spyOn(performance, 'now')
    .mockReturnValueOnce(1_000)
    .mockReturnValueOnce(1_000 + durationMs);
  const observer = new StatementObserver(system, 200);
  expect(await observer.watch('SELECT *\n  FROM "pets"', async () => 'rows')).toBe('rows');
  expect(warn.mock.calls.map(([line]) => line as unknown)).toEqual(lines);
});
