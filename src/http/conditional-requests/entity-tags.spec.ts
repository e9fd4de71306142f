import { describe, expect, it } from '@jest/globals';
import { etagOf, matchesStrongly, matchesWeakly, readTagList } from './entity-tags.js';

describe('a list of entity tags', () => {
  it.each([
    ['*', '*'],
    [' * ', '*'],
    ['"a"', ['"a"']],
    ['W/"a"', ['W/"a"']],
    ['"a","b", "c" ,W/"d"', ['"a"', '"b"', '"c"', 'W/"d"']],
    [',, "a",,\t"b" ,', ['"a"', '"b"']],
    ['""', ['""']],
    ['"a,b"', ['"a,b"']],
    ['"\xe9!#"', ['"\xe9!#"']],
  ])('is parsed: %s', (field, tags) => {
    expect(readTagList(field)).toEqual(tags);
  });

  it.each([
    '',
    ' ',
    ',',
    'a',
    '"a',
    'a"',
    '"a"b',
    '"a""b"',
    '"a" "b"',
    '"a";"b"',
    '*, "a"',
    '"a", *',
    'w/"a"',
    'W/ "a"',
    '"a b"',
    "'a'",
  ])('is refused: %s', (field) => {
    expect(readTagList(field)).toBeUndefined();
  });

  it('is parsed in linear time', () => {
    const startMs = performance.now();
    for (const field of [
      ', '.repeat(8_000),
      ' \t'.repeat(8_000) + 'x',
      '"'.repeat(16_000),
      '"a" '.repeat(4_000) + 'x',
      'W/'.repeat(8_000),
    ]) {
      expect(readTagList(field)).toBeUndefined();
    }
    expect(performance.now() - startMs).toBeLessThan(2_000);
  });
});

describe('two entity tags', () => {
  it('match strongly if neither is weak, and weakly in any case', () => {
    expect([
      matchesStrongly(['"b"', '"a"'], '"a"'),
      matchesStrongly(['W/"a"'], '"a"'),
      matchesStrongly(['"A"'], '"a"'),
    ]).toEqual([true, false, false]);
    expect([
      matchesWeakly(['"b"', 'W/"a"'], '"a"'),
      matchesWeakly(['"a"'], '"a"'),
      matchesWeakly(['"b"'], '"a"'),
    ]).toEqual([true, true, false]);
    expect([matchesStrongly('*', '"a"'), matchesWeakly('*', '"a"')]).toEqual([true, true]);
  });

  it('are equal if their content is equal', () => {
    expect(etagOf('[1]')).toBe(etagOf('[1]'));
    expect(etagOf('[1]')).not.toBe(etagOf('[2]'));
    expect(etagOf('')).toMatch(/^"[A-Za-z0-9_-]{22}"$/);
  });
});
