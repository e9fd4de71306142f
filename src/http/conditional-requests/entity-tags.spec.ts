import { describe, expect, it } from '@jest/globals';
import { etagOf, isListed } from './entity-tags.js';

describe('a list of entity tags', () => {
  it.each(['*', ' * ', '"a"', '"b","a"', ',, "b",,\t"a" ,', 'W/"b", "a"', '"\xe9!#", "a"'])(
    'names one of them: %s',
    (field) => {
      expect([isListed('"a"', field), isListed('"a"', field, 'weak')]).toEqual([true, true]);
    },
  );

  it('names a weak one weakly', () => {
    expect([isListed('"a"', '"b", W/"a"'), isListed('"a"', '"b", W/"a"', 'weak')]).toEqual([false, true]);
  });

  it.each(['"b"', '"A"', '', ' ', ',', 'a', '"a', 'a"', '"a"b', '"a""b"', '"a" "b"', '"a";"b"', '*, "b"', "'a'"])(
    'names no other: %s',
    (field) => {
      expect([isListed('"a"', field), isListed('"a"', field, 'weak')]).toEqual([false, false]);
    },
  );
});

it('two entity tags are equal if their content is equal', () => {
  expect(etagOf('[1]')).toBe(etagOf('[1]'));
  expect(etagOf('[1]')).not.toBe(etagOf('[2]'));
  expect(etagOf('')).toMatch(/^"[A-Za-z0-9_-]{22}"$/);
});
