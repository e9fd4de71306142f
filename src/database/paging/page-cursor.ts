import { DomainError } from '../../errors/index.js';
import type { SortColumn } from './sort-columns.js';

/** Values of the columns of an order, as text; `null` where a row has none. */
export type SortKey = readonly (string | null)[];

/**
 * The cursor of the page that follows a row. An identifier that is the whole key stays as it is; other keys are opaque to
 * clients, so that an order can change without a change of the API.
 */
export function pageCursor(key: SortKey): string {
  const [only] = key;
  const isPlain = key.length === 1 && only !== null && only !== undefined && PLAIN.test(only);
  return isPlain ? only : Buffer.from(JSON.stringify(key)).toString('base64url');
}

/** @throws DomainError `validation_failed` if it is no cursor of an order of these columns */
export function parseCursor(cursor: string, columns: readonly SortColumn[]): SortKey {
  const isPlain = columns.length === 1 && PLAIN.test(cursor);
  const key = isPlain ? [cursor] : parse(Buffer.from(cursor, 'base64url').toString());
  if (!isSortKey(key) || key.length !== columns.length || pageCursor(key) !== cursor) throw invalidCursor();
  const areValid = columns.every(({ isNullable, isValid }, index) => {
    const text = key[index] ?? null;
    return text === null ? isNullable : isValid(text);
  });
  if (!areValid) throw invalidCursor();
  return key;
}

function invalidCursor(): DomainError {
  return new DomainError('validation_failed', 'after must be as in the Link header of the previous page.');
}

const PLAIN = /^-?\d{1,19}$/;

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw invalidCursor();
  }
}

function isSortKey(value: unknown): value is SortKey {
  return Array.isArray(value) && value.every((part) => part === null || typeof part === 'string');
}
