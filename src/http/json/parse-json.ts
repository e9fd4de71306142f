import { ApiError } from '../errors/problem.js';
import { quoteName, unknownName } from '../errors/client-names.js';
import { BODY_LIMIT_BYTES, malformedJson } from '../requests/message.js';
import { exactInteger, exactJson } from './int64.js';
import { jsonFault } from './json-fault.js';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Numbers with fewer than 16 digits and no fraction or exponent are exact, so the slow reviver is not needed. */
const MAY_ROUND = /[0-9](?:[.Ee]|[0-9]{15})/;
/** Texts up to this length, in UTF-16 code units, cannot be nested too deeply. */
const NEVER_DEEP_LENGTH = 1_000;

const MAX_DEPTH = 32;
/**
 * Members, objects and lists of a body of `BODY_LIMIT_BYTES`. Larger bodies can have more in proportion. For the thousands
 * that a body could have, class-validator would take milliseconds.
 */
const MAX_MEMBERS = 1_000;

/** What is sent as JSON, but has no bytes. Some clients send Content-Type also without a body. */
export const EMPTY_BODY: object = Object.freeze({});
export const emptyBody = () => malformedJson('is empty, but must be JSON');

/**
 * Parses a JSON text (RFC 8259) without rounding: integers beyond 2^53 become bigint, and a number that becomes an integer
 * only by rounding becomes NaN.
 * @param limitBytes of the operation
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
    return isExact ? value : exactInteger(source);
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
    else checkName(lastString.includes('\\') ? String(JSON.parse(lastString)) : lastString.slice(1, -1), namesByDepth);
    if (token === '{' || token === '[' || token === ':') count += 1;
    if (namesByDepth.length > MAX_DEPTH) throw refused(`be nested deeper than ${MAX_DEPTH} levels`);
    if (count > maxMembers) throw refused(`have more than ${maxMembers} members`);
  }
}

function checkName(name: string, namesByDepth: readonly Set<string>[]): void {
  const names = namesByDepth.at(-1);
  if (names?.has(name))
    throw new ApiError('validation_failed', `${quoteName(name) ?? 'A field'} must be given only once.`);
  names?.add(name);
  // To class-validator and class-transformer, a name that every object inherits, such as `constructor`, is not unknown.
  if (name in Object.prototype) throw new ApiError('validation_failed', `${unknownName('field', name)}.`);
}

function refused(what: string): ApiError {
  return new ApiError('validation_failed', `The request body must not ${what}.`);
}
