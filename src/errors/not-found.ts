import { DomainError } from './domain-error.js';
import type { ErrorCode } from './error-codes.js';

/**
 * The error for a missing resource.
 * @param what the start of the message, such as `There is no pet`
 * @param id a checked identifier; omitted if the client sent other text, which may be an API key
 */
export function notFound(code: ErrorCode, what: string, id?: string): DomainError {
  return new DomainError(
    code,
    id === undefined ? `${what} with that identifier.` : `${what} with the identifier "${id}".`,
  );
}
