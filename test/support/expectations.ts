import { expect } from '@jest/globals';
import { trio } from './app.js';

export interface ErrorObject {
  readonly code: string;
  readonly message: string;
  readonly status: number;
}

/** Expects an answer to be an Error, exactly as the specification has it (sections 2 and 7), and gives it back. */
export async function errorOf(response: Response): Promise<ErrorObject> {
  const text = await response.text();
  expect(response.headers.get('content-type')).toMatch(/^application\/json(;|$)/);
  return errorIn(text, response.status);
}

/** Expects a body to be an Error with the HTTP status that it came with. */
export function errorIn(text: string, httpStatus: number): ErrorObject {
  const body = JSON.parse(text) as ErrorObject;
  expect(body).toEqual({
    code: expect.stringMatching(/^[a-z]+(_[a-z]+)*$/),
    message: expect.stringMatching(/\S/),
    status: httpStatus,
  });
  return body;
}

/** Expects the rate-limit headers, each once, as whole numbers that fit together (specification, section 8). */
export function expectTrio(response: Response): void {
  const { limit, remaining, reset } = trio(response);
  expect([response.status, typeof limit, typeof remaining, typeof reset]).toEqual([
    response.status,
    'number',
    'number',
    'number',
  ]);
  expect(limit).toBeGreaterThanOrEqual(1);
  expect(remaining).toBeLessThan(Number(limit) + 1);
  expect(reset).toBeGreaterThan(1_700_000_000);
  expect(reset).toBeLessThan(10_000_000_000);
}

/** Expects that an answer says nothing of limits. */
export function expectNoTrio(response: Response): void {
  expect({ status: response.status, ...trio(response) }).toEqual({
    status: response.status,
    limit: null,
    remaining: null,
    reset: null,
  });
}
