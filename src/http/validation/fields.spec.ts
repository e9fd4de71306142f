import { describe, expect, it } from '@jest/globals';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { TextField } from './fields.js';

const LONG = 40_000;
const OPTIONS = { description: 'A text.', example: 'Bella', maxLength: LONG };

class Line {
  @TextField(OPTIONS)
  text!: string;
}

class PrintedLine {
  @TextField({ ...OPTIONS, printed: true })
  text!: string;
}

const isValid = (type: new () => object, text: string) => validateSync(plainToInstance(type, { text })).length === 0;

/** The pattern in the document, as a client runs it. */
function patternOf(type: new () => object): RegExp {
  const { pattern } = Reflect.getMetadata('swagger/apiModelProperties', type.prototype, 'text') as { pattern: string };
  return new RegExp(pattern);
}

const BLANK = /[\s\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;
/** Format characters that show something only with others, which the pattern leaves out for its length. */
const ARABIC_MARKS = /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2]/;
const REFUSED = /\p{Cc}/u;
const REFUSED_IN_PRINT = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/** All special characters of the Basic Multilingual Plane, and some of the others. */
const CHARACTERS = Array.from({ length: 0xff_ff + 1 }, (_, code) => String.fromCharCode(code)).filter(
  (character, code) =>
    character.isWellFormed() && (BLANK.test(character) || REFUSED_IN_PRINT.test(character) || code % 50 === 0),
);

describe.each([
  ['a text', Line, REFUSED],
  ['a printed text', PrintedLine, REFUSED_IN_PRINT],
])('%s', (_, type, refused) => {
  const pattern = patternOf(type);

  it('has a visible character, and the pattern of the document says so', () => {
    const accepted = CHARACTERS.filter((character) => !BLANK.test(character) && !refused.test(character));
    expect(CHARACTERS.filter((character) => isValid(type, character))).toEqual(accepted);
    const documented = CHARACTERS.filter((character) => pattern.test(character) && !ARABIC_MARKS.test(character));
    expect(documented).toEqual(accepted);
  });

  it('can have blank characters before and after it', () => {
    const allowed = CHARACTERS.filter((character) => !refused.test(character));
    for (const padded of [(character: string) => `${character}x`, (character: string) => `x${character}`]) {
      expect(CHARACTERS.filter((character) => isValid(type, padded(character)))).toEqual(allowed);
      expect(CHARACTERS.filter((character) => pattern.test(padded(character)))).toEqual(allowed);
    }
  });

  it('is checked in linear time', () => {
    for (const filler of ['x', ' ', '\u200b', ' x', '\u{e0001}']) {
      const text = `${filler.repeat(LONG / filler.length - 1)}\u0007`;
      const start = process.threadCpuUsage();
      expect([isValid(type, text), pattern.test(text)]).toEqual([false, false]);
      // Time of the processor, which is not longer on a busy machine.
      expect(process.threadCpuUsage(start).user).toBeLessThan(200_000);
    }
  });

  it.each(['\u{e0001}', '\u{1bca0}\u{1d173}', '\u{e0100}', '\u{13430}'])(
    'is refused if it is invisible: %j',
    (text) => {
      expect(isValid(type, text)).toBe(false);
      expect(isValid(type, `${text}x`)).toBe(true);
    },
  );
});
