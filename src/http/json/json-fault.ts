import { printParseErrorCode, visit } from 'jsonc-parser';

const NUMBER = 'a number is written such as 5, -5, 0.5 or 1e3';

/** Usual mistakes, by what stands where a text stops to be JSON, and before it. */
const MISTAKES: readonly (readonly [rest: RegExp, before: RegExp, advice: string])[] = [
  [/^$/, /^/, 'the end is missing'],
  [/^[}\]]/, /,\s*$/, 'remove the comma before it'],
  [/^(?:\/[/*]|#)/, /^/, 'JSON has no comments'],
  [/^</, /^\s*$/, 'this is XML or HTML'],
  [/^[+\-.\d]/, /(?:^|[:[,])\s*$/, NUMBER],
  [/^\w/, /\d$/, NUMBER],
  [/^(?:true|false|null|none|nan|infinity|undefined)\b/i, /[:[,]\s*$/, 'only true, false and null have no quotes'],
  [/^\w/, /"$/, 'a quote or a comma is missing before it'],
  [/^['\w`“”‘’]/, /(?:^|[{:[,])\s*$/, 'names and strings need double quotes'],
];

/** By the name that the parser gives a fault. */
const CAUSES: Readonly<Record<string, string>> = {
  EndOfFileExpected: 'nothing can follow the JSON value',
  UnexpectedEndOfString: 'the string has no closing quote, or has a line break',
  InvalidEscapeCharacter: 'a backslash in a string is written \\\\',
  InvalidCharacter: 'a control character in a string is written such as \\n or \\u0009',
};

/** Where a text is not JSON, and the likely cause; empty if unknown. JSON.parse quotes the text, which may have a secret. */
export function jsonFault(text: string): string {
  let fault = '';
  const onError = (code: number, offset: number, _length: number, line: number, column: number): void => {
    if (fault !== '') return;
    const name = printParseErrorCode(code);
    const [before, rest] = [text.slice(0, offset), text.slice(offset)];
    const cause = isJson(before) ? CAUSES['EndOfFileExpected'] : CAUSES[name];
    const mistake = MISTAKES.find(([after, first]) => after.test(rest) && first.test(before))?.[2];
    // `CommaExpected` is `comma expected`.
    const words = name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
    fault = ` at line ${line + 1}, column ${column + 1}: ${cause ?? mistake ?? words}`;
  };
  visit(text, { onError }, { disallowComments: true });
  return fault;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
