import { ApiError } from '../errors/index.js';
import { scopeChallenge } from './key-refusal.js';

/** The refusal of a valid key; `message` names what it lacks, as `scopes` do for machines. */
export function insufficientScope(message: string, scopes: readonly string[]): ApiError {
  return new ApiError('insufficient_scope', message, { 'www-authenticate': scopeChallenge(scopes) });
}
