import { inspect, types } from 'node:util';
import type { ErrorCode } from './error-codes.js';

/**
 * The reason why a service or the database cannot do something, in terms of the domain. The filter turns it into a
 * response with status and headers. With the code `service_unavailable`, the same request may succeed soon.
 */
export class DomainError extends Error {
  /** @param message what is wrong and what would be valid, for the client's developer */
  constructor(
    readonly code: ErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** @param id a checked identifier; omitted if the client sent other text, which may be an API key */
export function notFound(code: ErrorCode, what: string, id?: string): DomainError {
  const which = id === undefined ? 'that identifier' : `the identifier "${id}"`;
  return new DomainError(code, `${what} with ${which}.`);
}

/** A row that a query found. @throws the error that `missing` makes of the id if there is none */
export function orFail<Row>(row: Row | null | undefined, missing: (id: string) => DomainError, id: string): Row {
  if (row === null || row === undefined) throw missing(id);
  return row;
}

const MAX_DEPTH = 4;
const MAX_INNER_ERRORS = 5;
/** How much of a thrown object that is no error a line of the log has. */
const BOUNDS = { depth: 2, maxArrayLength: 10, maxStringLength: 1_000, breakLength: Infinity };

/** What is wrong, in one line. Node gives no message to the error of a host whose addresses all refuse the connection. */
export function messageOf(error: unknown, depth = MAX_DEPTH): string {
  return attempt(() => {
    if (!types.isNativeError(error)) return textOf(error);
    if (depth === 0) return '';
    const message: unknown = error.message;
    if (message === '' && error instanceof AggregateError)
      return innerErrorsOf(error)
        .map((inner) => messageOf(inner, depth - 1))
        .join('; ');
    return types.isNativeError(message) ? messageOf(message, depth - 1) : textOf(message);
  }, UNREADABLE);
}

/** An error with its causes, and those that an AggregateError has, for the log. */
export function describe(exception: unknown, detail: 'message' | 'stack', depth = MAX_DEPTH): string {
  return attempt(() => {
    if (!types.isNativeError(exception)) return textOf(exception);
    const told = depth === 0 ? [] : attempt(() => causesOf(exception), []).slice(0, MAX_INNER_ERRORS);
    const own = textOf(attempt(() => exception[detail], undefined) ?? exception.message);
    return [own, ...told.map((cause) => describe(cause, detail, depth - 1))].join('\nbecause of ');
  }, UNREADABLE);
}

/** The errors of an AggregateError, which may have been set to anything. */
export function innerErrorsOf(error: unknown): readonly unknown[] {
  return error instanceof AggregateError && Array.isArray(error.errors) ? error.errors : [];
}

function causesOf(error: Error): readonly unknown[] {
  return error.cause === undefined ? innerErrorsOf(error) : [...innerErrorsOf(error), error.cause];
}

const UNREADABLE = 'an error that cannot be read';

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : inspect(value, BOUNDS);
}

/** Code that reports what was thrown must not throw in turn, whatever its getters and its prototype do. */
function attempt<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
