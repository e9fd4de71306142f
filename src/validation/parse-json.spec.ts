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
    ['__proto__', '{"__proto__":{},"__proto__":1}', '"__proto__"'],
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
    '{"toString":1,"constructor":2}',
    '":::"',
    '[]',
  ])('that repeats no member is parsed: %s', (text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  it('keeps __proto__ as a member like any other', () => {
    const value = parse('{"__proto__":{"a":1},"b":":"}') as object;
    expect(Object.keys(value)).toEqual(['__proto__', 'b']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it('that does not parse is malformed, even if it repeats a member', () => {
    expect(refusal('{"name":1,"name":2')).toMatch(/^malformed_json: /);
    expect(refusal(`{"a":1,"a":${'['.repeat(8_000)}${']'.repeat(8_000)}}`)).toMatch(
      /^malformed_json: .* nested too deeply/,
    );
  });
});
