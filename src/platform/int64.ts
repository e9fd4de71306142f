const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
/** No int64 has more digits; a literal with a larger exponent is not expanded. */
const MOST_DIGITS = 19;

/** A number if that is exact, else a bigint. */
export type Int64 = number | bigint;

export function isInt64(value: unknown): value is Int64 {
  if (typeof value === 'number') return Number.isSafeInteger(value);
  return typeof value === 'bigint' && value >= INT64_MIN && value <= INT64_MAX;
}

/** Whether text is an int64 of at least 1 without sign and leading zeros. */
export function isCanonicalId(text: string): boolean {
  return /^[1-9][0-9]{0,18}$/.test(text) && (text.length < MOST_DIGITS || BigInt(text) <= INT64_MAX);
}

/** Whether text is an int64 without plus, leading zeros and negative zero. */
export function isCanonicalInt64(text: string): boolean {
  return /^(?:0|-?[1-9][0-9]{0,18})$/.test(text) && isInt64(BigInt(text));
}

/** The exact value of `5`, `1e2` or `5.0` (JSON Schema, section 6.1.1), or NaN if it is no integer or far beyond int64. */
export function integerOfLiteral(literal: string): Int64 {
  const [mantissa = '', exponent = '0'] = literal.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = withoutTrailingZeros(whole + fraction);
  if (digits === '' || digits === '-') return 0;
  const trailingZeros = whole.length + fraction.length - digits.length;
  const zerosToAppend = Number(exponent) - fraction.length + trailingZeros;
  if (!(zerosToAppend >= 0 && zerosToAppend <= MOST_DIGITS)) return Number.NaN;
  const value = BigInt(digits + '0'.repeat(zerosToAppend));
  return isInt64(Number(value)) ? Number(value) : value;
}

/** Not a regular expression, which would take quadratic time. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

/** Text that JSON.stringify writes unchanged. */
export interface RawJson {
  readonly rawJSON: string;
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** JSON.parse source text access (ECMAScript 2026), which TypeScript does not know yet. */
interface ExactJson {
  parse(text: string, reviver: Reviver): unknown;
  rawJSON(text: string): RawJson;
}

export const exactJson = JSON as unknown as ExactJson;

/** JSON text of a value. Bigints, which JSON.stringify refuses, become numbers with all their digits. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, exactMember);
}

const exactMember = (_name: string, value: unknown) =>
  typeof value === 'bigint' ? exactJson.rawJSON(String(value)) : value;

/** An int64 for JSON.stringify: a number if that is exact, else raw JSON. */
export type ExactInt64 = number | RawJson;

/** Makes JSON.stringify write the decimal digits of an int64 as a number. */
export function int64Json(digits: string): ExactInt64 {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : exactJson.rawJSON(digits);
}
