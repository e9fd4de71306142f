import { expect } from '@jest/globals';
import { trio } from './app.js';

export interface ErrorObject {
  readonly code: string;
  readonly message: string;
  readonly status: number;
}

/** Expects a response to be an Error, exactly as in the specification (sections 2 and 7). Returns the error. */
export async function errorOf(response: Response): Promise<ErrorObject> {
  const text = await response.text();
  expect(response.headers.get('content-type')).toMatch(/^application\/json(;|$)/);
  return errorIn(text, response.status);
}

/** The same. Returns the error in short, such as `404 pet_not_found`. */
export async function refusalOf(response: Response | Promise<Response>): Promise<string> {
  const { status, code } = await errorOf(await response);
  return `${status} ${code}`;
}

/** Expects a body to be an Error with the HTTP status of its response. */
export function errorIn(text: string, httpStatus: number): ErrorObject {
  const body = JSON.parse(text) as ErrorObject;
  expect(body).toEqual({
    code: expect.stringMatching(/^[a-z]+(_[a-z]+)*$/),
    message: expect.stringMatching(/\S/),
    status: httpStatus,
  });
  return body;
}

/** Expects each rate-limit header once, with consistent integers (specification, section 8). */
export function expectTrio(response: Response): void {
  const { limit, remaining, reset } = trio(response);
  const types = [limit, remaining, reset].map((value) => typeof value);
  expect([response.status, ...types]).toEqual([response.status, 'number', 'number', 'number']);
  expect(limit).toBeGreaterThanOrEqual(1);
  expect(remaining).toBeLessThan(Number(limit) + 1);
  expect(reset).toBeGreaterThan(1_700_000_000);
  expect(reset).toBeLessThan(10_000_000_000);
}

export function expectNoTrio(response: Response): void {
  const { status } = response;
  expect({ status, ...trio(response) }).toEqual({ status, limit: null, remaining: null, reset: null });
}
