import { PATHS, type Resource } from './actions.js';
import type { ExpectedResponse } from './model-state.js';

const STATUSES = {
  validation_failed: 400,
  pet_not_found: 404,
  category_not_found: 404,
  order_not_found: 404,
  pet_not_available: 409,
  pet_in_order: 409,
  invalid_status_transition: 409,
  category_exists: 409,
  precondition_failed: 412,
  idempotency_key_reused: 422,
} as const;

export type Refusal = keyof typeof STATUSES;

export const NOT_FOUND = {
  pets: 'pet_not_found',
  categories: 'category_not_found',
  orders: 'order_not_found',
} as const satisfies Record<Resource, Refusal>;

export function refusal(code: Refusal): ExpectedResponse {
  return { status: STATUSES[code], code };
}

export function created(of: Resource, id: string, text: string): ExpectedResponse {
  return { status: 201, text, representation: text, location: `${PATHS[of]}/${id}` };
}

/** Returns 304 if the client already has this representation. */
export function unlessUnchanged(response: ExpectedResponse, ifNoneMatch: string | undefined): ExpectedResponse {
  const isUnchanged = ifNoneMatch === '*' || (ifNoneMatch !== undefined && ifNoneMatch === response.representation);
  return isUnchanged ? { ...response, status: 304, text: '' } : response;
}
