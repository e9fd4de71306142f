import { describe, expect, it } from '@jest/globals';
import { parseJson } from './parse-json.js';

const parse = (text: string) => parseJson(Buffer.from(text));

/** Code and message of the error that a text is refused with. */
function refusal(text: string): string {
  try {
    parse(text);
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code}: ${message}`;
  }
  throw new Error('The text was accepted.');
}

describe('a JSON text', () => {
  it.each([
    ['the same', '{"name":"x","name":"x"}'],
    ['the other one escaped', '{"name":"x","na\\u006de":"y"}'],
    ['far apart', `{"name":"x",${Array.from({ length: 500 }, (_, n) => `"a${n}":"${n}"`).join()},"name":"y"}`],
    ['in an object of a list', '[{"a":1},{"name":1,"a":[],"name":2}]'],
    ['in a nested object', '{"a":{"b":{"name":1,"c":{},"name":2}}}'],
    ['after a nested object', '{"name":{"a":{"name":1}},"name":2}'],
    ['beside strings with colons', '{"a:b":"::","name":1,"c":":","name":2}'],
    ['with white space around', '{ "name" : 1 ,\n\t"name"\r: 2 }'],
    ['of an integer beyond 2^53', '{"name":9007199254740993,"name":1}'],
  ])('that repeats a member is refused: %s', (_, text) => {
    expect(refusal(text)).toBe('validation_failed: "name" must be given only once.');
  });

  it.each([
    ['an empty name', '{"":1,"":2}', 'A field'],
    ['a name that may be a key', '{"psk_live_x":1,"psk_live_x":2}', 'A field'],
    ['a name with a quotation mark', '{"a\\"b":1,"a\\u0022b":2}', 'A field'],
  ])('that repeats %s is refused', (_, text, subject) => {
    expect(refusal(text)).toBe(`validation_failed: ${subject} must be given only once.`);
  });

  it.each([
    '{"name":"x","Name":"y"}',
    '{"name":{"name":{"name":1}}}',
    '[{"name":1},{"name":2}]',
    '{"a":"\\"name\\":1,\\"name\\":2","name":":{[}]"}',
    '{"a\\\\":1,"a":2}',
    '":::"',
    '[]',
  ])('that repeats no member is parsed: %s', (text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ['__proto__', '{"__proto__":{},"__proto__":1}'],
    ['constructor', '{"a":[{"constructor":2}]}'],
    ['toString', '{"a":{"to\\u0053tring":1}}'],
  ])('that has a member which every object inherits is refused: %s', (name, text) => {
    expect(refusal(text)).toBe(`validation_failed: "${name}" is not a known field.`);
  });

  it('has at most 1,000 members, objects and lists', () => {
    const [objects, members] = [Array(1_000).fill('{}'), Array.from({ length: 1_000 }, (_, n) => `"a${n}":1`)];
    expect(() => parse(`[${objects.slice(1).join()}]`)).not.toThrow();
    expect(() => parse(`{${members.slice(1).join()}}`)).not.toThrow();
    for (const text of [`[${objects.join()}]`, `{${members.join()}}`])
      expect(refusal(text)).toBe(
        'validation_failed: The request body must not have more than 1000 members, objects and lists.',
      );
  });

  it('is nested at most 32 levels deep', () => {
    expect(() => parse('['.repeat(32) + ']'.repeat(32))).not.toThrow();
    expect(refusal('['.repeat(33) + ']'.repeat(33))).toBe(
      'validation_failed: The request body must not be nested deeper than 32 levels.',
    );
  });

  it('that does not parse is malformed, even if it repeats a member', () => {
    expect(refusal('{"name":1,"name":2')).toMatch(/^malformed_json: /);
    expect(refusal(`{"a":1,"a":${'['.repeat(8_000)}${']'.repeat(8_000)}}`)).toMatch(
      /^malformed_json: .* nested too deeply/,
    );
  });
});
