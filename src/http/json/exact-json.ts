/** JSON.parse source text access (ECMAScript 2026), which TypeScript does not know yet. */
interface ExactJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): RawJson;
}

/** Text that JSON.stringify writes unchanged. */
export interface RawJson {
  readonly rawJSON: string;
}

export const exactJson = JSON as unknown as ExactJson;

/** JSON text of a value. Bigints, which JSON.stringify refuses, become numbers with all their digits. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, exactMember);
}

function exactMember(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? exactJson.rawJSON(String(value)) : value;
}

/** An int64 for JSON.stringify: a number if that is exact, else raw JSON. */
export type ExactInt64 = number | RawJson;

/** Makes JSON.stringify write the decimal digits of an int64 as a number. */
export function int64Json(digits: string): ExactInt64 {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : exactJson.rawJSON(digits);
}
