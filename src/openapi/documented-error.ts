import { ERROR_CODES, type ErrorCode, type OwnErrorCode, type Problem, problem, toProblem } from '../errors/index.js';

/** The unknown identifier in the examples of errors. */
export const UNKNOWN_ID = '404';

/**
 * An error that an operation can return. If it is declared as an exception or a response, the example in the document has
 * its message and its headers.
 */
export type ErrorDeclaration = ErrorCode | OwnErrorCode | Error | Problem;

/** An error with its documentation. */
export interface DocumentedError extends Problem {
  /** When it is returned, for people. */
  readonly meaning: string;
}

export function documentedError(declared: ErrorDeclaration): DocumentedError {
  if (typeof declared === 'string') return documentedError({ code: declared, ...ERROR_CODES[declared] });
  if ('meaning' in declared) return { ...problem(declared, declared.meaning), meaning: declared.meaning };
  const { code, status, message, headers } = declared instanceof Error ? toProblem(declared) : declared;
  return { code, status, message, headers, meaning: isErrorCode(code) ? ERROR_CODES[code].meaning : message };
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code);
}
