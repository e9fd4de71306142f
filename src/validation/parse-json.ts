import { ApiError, quoteName } from '../errors/index.js';
import { exactJson, malformedJson } from '../http/index.js';
import { exactInteger } from './int64.js';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Numbers with fewer than 16 digits and no fraction or exponent are exact, so the slow reviver is not needed. */
const MAY_ROUND = /[0-9](?:[.Ee]|[0-9]{15})/;
/** Texts up to this length, in UTF-16 code units, cannot be nested too deeply. */
const NEVER_DEEP_LENGTH = 1_000;

/**
 * Parses a JSON text (RFC 8259) without rounding: integers beyond 2^53 become bigint, and a number that becomes an integer
 * only by rounding becomes NaN.
 * @throws ApiError `malformed_json`, or `validation_failed` if an object repeats a member
 */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw malformedJson('it is empty');
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw malformedJson('it is not valid UTF-8');
  }
  if (text.startsWith('\uFEFF')) throw malformedJson('it begins with a byte-order mark');
  let value: unknown;
  try {
    value = text.length <= NEVER_DEEP_LENGTH && !MAY_ROUND.test(text) ? JSON.parse(text) : parseExactly(text);
  } catch (error) {
    // The parser's message quotes the body, so only the kind of failure is reported.
    throw malformedJson(error instanceof RangeError ? 'it is nested too deeply' : 'it cannot be parsed');
  }
  const repeated = repeatedMember(text);
  if (repeated === undefined) return value;
  throw new ApiError('validation_failed', `${quoteName(repeated) ?? 'A field'} must be given only once.`);
}

function parseExactly(text: string): unknown {
  return exactJson.parse(text, (_key, value, { source = '' }) => {
    const isExact = !Number.isInteger(value) || (Number.isSafeInteger(value) && /^-?[0-9]+$/.test(source));
    return isExact ? value : exactInteger(source);
  });
}

/** The tokens of a valid JSON text that matter here: strings, brackets, colons and commas. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g;

/** Finds a repeated member name in a valid JSON text; JSON.parse keeps only the last one. */
function repeatedMember(text: string): string | undefined {
  const namesByDepth: Set<string>[] = [];
  let lastString = '';
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') namesByDepth.push(new Set());
    else if (token === '}' || token === ']') namesByDepth.pop();
    else if (token !== ':') lastString = token;
    else {
      const name = lastString.includes('\\') ? String(JSON.parse(lastString)) : lastString.slice(1, -1);
      const names = namesByDepth.at(-1);
      if (names?.has(name)) return name;
      names?.add(name);
    }
  }
  return undefined;
}
