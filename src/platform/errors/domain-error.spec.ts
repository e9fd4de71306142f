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

class Unreadable extends Error {
  override get message(): string {
    throw new Error('no message');
  }
}
const circular: object[] = [];
circular.push(circular, circular);
const wrong = (parts: object) => Object.assign(new AggregateError(['inner'], 'many'), parts);

it.each([
  ['null', null, /^null$/],
  ['an object', { code: 'E_SOLD' }, /^\{ code: 'E_SOLD' \}$/],
  ['an object without a prototype', Object.create(null), /^\[Object: null prototype\] \{\}$/],
  ['a message that is an error', wrong({ message: new Error('inner') }), /^inner$/],
  ['a message that is no text', wrong({ message: { at: 7 } }), /^\{ at: 7 \}$/],
  ['no message', wrong({ message: undefined }), /^undefined$/],
  ['errors that are no list', wrong({ errors: 7 }), /^many$/],
  ['errors that have each other', wrong({ message: '', errors: [new AggregateError(circular), 'last'] }), /; last$/],
  ['a getter that throws', new Unreadable(), /^an error that cannot be read$/],
])('whatever is thrown is told without an error of its own: %s', (_, thrown, message) => {
  expect(messageOf(thrown)).toMatch(message);
  expect(told(thrown, 'message')).not.toBe('');
});

const thrower = () => {
  throw new Error('no stack');
};

it('an error whose stack or cause cannot be read is told by its message', () => {
  const error = Object.defineProperties(new Error('broken'), { stack: { get: thrower }, cause: { get: thrower } });
  expect(told(error, 'stack')).toBe('broken');
});

it('the message of an error without one is those of its errors', () => {
  const reasons = ['connect ECONNREFUSED ::1:5432', 'connect ECONNREFUSED 127.0.0.1:5432'];
  const error = new AggregateError(reasons.map((reason) => new Error(reason)));
  expect(messageOf(error)).toBe(reasons.join('; '));
  expect([messageOf(new AggregateError([], 'full')), messageOf('text')]).toEqual(['full', 'text']);
});
