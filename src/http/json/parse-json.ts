import { printParseErrorCode, visit } from 'jsonc-parser';
import { ApiError, validationFailed } from '../errors/api-error.js';
import { quoteName, unknownName } from '../errors/client-names.js';
import { BODY_LIMIT_BYTES, malformedJson } from '../requests/bodies.js';
import { exactJson, integerOfLiteral } from '../../platform/int64.js';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Numbers with fewer than 16 digits and no fraction or exponent are exact, so the slow reviver is not needed. */
const MAY_ROUND = /[0-9](?:[.Ee]|[0-9]{15})/;
/** Texts up to this length, in UTF-16 code units, cannot be nested too deeply. */
const NEVER_DEEP_LENGTH = 1_000;
const MAX_DEPTH = 32;
/** Members, objects and lists of `BODY_LIMIT_BYTES`. For the thousands that fit, class-validator would take milliseconds. */
const MAX_MEMBERS = 1_000;

/** What is sent as JSON, but has no bytes. Some clients send Content-Type also without a body. */
export const EMPTY_BODY: object = Object.freeze({});
export const emptyBody = () => malformedJson('is empty, but must be JSON');

export const notAnObject = (name = 'The request body') => validationFailed([`${name} must be a JSON object`]);

/**
 * Parses a JSON text (RFC 8259): integers beyond 2^53 become bigint, and what rounding would make an integer becomes NaN.
 * @throws ApiError `malformed_json`, or `validation_failed` for members that are repeated, inherited or too many
 */
export function parseJson(bytes: Buffer, limitBytes = BODY_LIMIT_BYTES): unknown {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw malformedJson('is not in UTF-8');
  }
  if (text.startsWith('\uFEFF')) throw malformedJson('begins with a byte-order mark, which JSON must not have');
  let value: unknown;
  try {
    value = text.length <= NEVER_DEEP_LENGTH && !MAY_ROUND.test(text) ? JSON.parse(text) : parseExactly(text);
  } catch (error) {
    if (text.trim() === '') throw emptyBody();
    if (error instanceof RangeError) throw malformedJson('is nested too deeply');
    throw malformedJson(`is not valid JSON${text.length <= NEVER_DEEP_LENGTH ? jsonFault(text) : ''}`);
  }
  checkMembers(text, Math.ceil((MAX_MEMBERS * limitBytes) / BODY_LIMIT_BYTES));
  return value;
}

function parseExactly(text: string): unknown {
  return exactJson.parse(text, (_key, value, { source = '' }) => {
    const isExact = !Number.isInteger(value) || (Number.isSafeInteger(value) && /^-?[0-9]+$/.test(source));
    return isExact ? value : integerOfLiteral(source);
  });
}

/** The tokens of a valid JSON text that matter here: strings, brackets, colons and commas. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g;

/** Checks the members of a valid JSON text: of those with the same name, JSON.parse keeps only the last one. */
function checkMembers(text: string, maxMembers: number): void {
  const namesByDepth: Set<string>[] = [];
  let count = 0;
  let lastString = '';
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') namesByDepth.push(new Set());
    else if (token === '}' || token === ']') namesByDepth.pop();
    else if (token !== ':') lastString = token;
    else
      checkName(
        lastString.includes('\\') ? String(JSON.parse(lastString)) : lastString.slice(1, -1),
        namesByDepth.at(-1),
      );
    if (token === '{' || token === '[' || token === ':') count += 1;
    if (namesByDepth.length > MAX_DEPTH) throw refused(`be nested deeper than ${MAX_DEPTH} levels`);
    if (count > maxMembers) throw refused(`have more than ${maxMembers} members, objects and lists`);
  }
}

function checkName(name: string, names?: Set<string>): void {
  if (names?.has(name))
    throw new ApiError('validation_failed', `${quoteName(name) ?? 'A field'} must be given only once.`);
  names?.add(name);
  // To class-validator and class-transformer, a name that every object inherits, such as `constructor`, is not unknown.
  if (name in Object.prototype) throw new ApiError('validation_failed', `${unknownName('field', name)}.`);
}

function refused(what: string): ApiError {
  return new ApiError('validation_failed', `The request body must not ${what}.`);
}

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
function jsonFault(text: string): string {
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
