import { ApiError } from '../errors/index.js';
import { exactInteger } from './int64.js';
import { exactJson } from './json.js';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Numbers of fewer than 16 digits, without fraction and exponent, are exact; a reviver takes many times as long as parsing. */
const MAY_ROUND = /[0-9](?:[.Ee]|[0-9]{15})/;
/** Longest text, in UTF-16 code units, that is certainly not nested too deeply. */
const NEVER_DEEP_LENGTH = 1_000;

/**
 * Parses a JSON text (RFC 8259) without rounding: integers beyond 2^53 become bigint, and a number that only its
 * rounding makes an integer becomes NaN.
 * @throws ApiError `malformed_json`
 */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw malformed('it is empty');
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw malformed('it is not valid UTF-8');
  }
  if (text.startsWith('\uFEFF')) throw malformed('it begins with a byte-order mark');
  try {
    if (text.length <= NEVER_DEEP_LENGTH && !MAY_ROUND.test(text)) return JSON.parse(text);
    return exactJson.parse(text, (_key, value, context) =>
      typeof value === 'number' && context.source !== undefined ? exactNumber(value, context.source) : value,
    );
  } catch (error) {
    // The parser's message quotes the body, so only the kind of failure is told.
    throw malformed(error instanceof RangeError ? 'it is nested too deeply' : 'it does not parse');
  }
}

function exactNumber(value: number, source: string): number | bigint {
  if (Number.isInteger(value)) return Number.isSafeInteger(value) && /^-?[0-9]+$/.test(source) ? value : exactInteger(source);
  return value;
}

function malformed(why: string): ApiError {
  return new ApiError('malformed_json', `The request body must be a JSON text in UTF-8, but ${why}.`);
}
