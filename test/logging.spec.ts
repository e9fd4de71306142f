import { expect, it } from '@jest/globals';
import { PinoLogger } from '../src/platform/logging/pino-logger.js';
import { captureOutput, linesOf } from './support/main-program.js';

const output = captureOutput();
const logger = new PinoLogger('info');

it.each<[string, () => void, object[]]>([
  [
    'a stack and the context',
    () => logger.error('one', 'at work', 'Work'),
    [{ level: 'error', message: 'one', stack: 'at work', context: 'Work' }],
  ],
  ['details', () => logger.log('two', { a: 1 }, 'Work'), [{ level: 'info', message: 'two', details: [{ a: 1 }] }]],
  [
    'an error as text in a field',
    () => logger.warn({ message: 'three', reason: new Error('full') }, 'Work'),
    [{ level: 'warn', message: 'three', reason: expect.stringMatching(/^Error: full\n/) }],
  ],
  ['nothing below its level', () => logger.debug('four', 'Work'), []],
  ['nothing of how Nest starts', () => logger.log('five', 'InstanceLoader'), []],
  ['no error that Nest also rejects with', () => logger.error('six', 'ExceptionHandler'), []],
])('a line of the log has %s', (_, log, lines) => {
  const before = output().length;
  log();
  expect(linesOf(output().slice(before), '"message"')).toMatchObject(lines);
});
