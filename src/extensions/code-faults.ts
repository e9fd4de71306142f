import { CODE_PATTERN, ERROR_CODES, MAX_CODE_LENGTH, type OwnErrorCode } from '../platform/errors/error-codes.js';

/** What clients cannot rely on: a code with two statuses, or one that is none by the document. */
export function codeFaults(declared: readonly Pick<OwnErrorCode, 'code' | 'status'>[]): string[] {
  const statuses = new Map<string, number>(Object.entries(ERROR_CODES).map(([code, { status }]) => [code, status]));
  return declared.flatMap(({ code, status }) => {
    if (code.length > MAX_CODE_LENGTH || !new RegExp(CODE_PATTERN).test(code))
      return [
        `The error code ${JSON.stringify(code)} must have at most ${MAX_CODE_LENGTH} letters from a to z, in words as in "visits_full".`,
      ];
    const known = statuses.get(code) ?? status;
    statuses.set(code, known);
    if (known !== status)
      return [`The error code ${code} has the status ${known} already and cannot have ${status}. Use another code.`];
    const isError = Number.isInteger(status) && status >= 400 && status <= 599;
    return isError ? [] : [`The error code ${code} has the status ${status}. It must be from 400 to 599.`];
  });
}
