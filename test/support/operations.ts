import type { OperationOptions } from '../../src/index.js';

/** Makes the options of operations with the same scope and summary. */
export const operationsOf =
  (scope: string, summary: string) =>
  (id: string, more: Partial<OperationOptions> = {}): OperationOptions => ({
    id,
    summary,
    scope,
    stability: 'experimental',
    success: { status: 200, description: `${summary}.` },
    ...more,
  });
