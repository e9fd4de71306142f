import { expect, it } from '@jest/globals';
import { describe as told } from './domain-error.js';

it('an error is told with its causes, and those of many, as far as a line has room', () => {
  const disk = new Error('full', { cause: new Error('disk 7') });
  expect(told(disk, 'message')).toBe('full\nbecause of disk 7');
  const many = new AggregateError(
    Array.from({ length: 7 }, (_, n) => new Error(`row ${n}`)),
    'many',
  );
  expect(told(many, 'message').split('\nbecause of ')).toEqual(['many', 'row 0', 'row 1', 'row 2', 'row 3', 'row 4']);
  const circular = new Error('again');
  circular.cause = circular;
  expect(told(circular, 'message')).toBe(Array(5).fill('again').join('\nbecause of '));
});
