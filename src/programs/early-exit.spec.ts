import { afterEach, expect, it, jest } from '@jest/globals';
import { refuseArguments } from './early-exit.js';

const { argv, exit } = process;
afterEach(() => void Object.assign(process, { argv, exit }));

it.each([
  [[], []],
  [['--help'], [2]],
])('a program that takes no arguments ends with 2 if there are some: %j', (given, codes) => {
  const ended: unknown[] = [];
  const told = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  Object.assign(process, { argv: ['node', 'petstore', ...given], exit: (code: unknown) => ended.push(code) });
  refuseArguments('petstore');
  expect(ended).toEqual(codes);
  expect(told.mock.calls.map(([text]) => text)).toEqual(
    codes.map(() => expect.stringContaining('petstore takes no arguments.')),
  );
});
