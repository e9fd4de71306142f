import { expect, it } from '@jest/globals';
import { describe as told, messageOf } from './domain-error.js';

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

it('the message of an error without one is those of its errors', () => {
  const reasons = ['connect ECONNREFUSED ::1:5432', 'connect ECONNREFUSED 127.0.0.1:5432'];
  const error = new AggregateError(reasons.map((reason) => new Error(reason)));
  expect(messageOf(error)).toBe(reasons.join('; '));
  expect([messageOf(new AggregateError([], 'full')), messageOf('text')]).toEqual(['full', 'text']);
});
