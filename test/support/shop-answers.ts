import { PATHS, type Room } from './shop-actions.js';
import type { Answer } from './shop-state.js';

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

export const NOT_FOUND = { pets: 'pet_not_found', categories: 'category_not_found', orders: 'order_not_found' } as const satisfies Record<Room, Refusal>;

export function refusal(code: Refusal): Answer {
  return { status: STATUSES[code], code };
}

export function created(of: Room, id: string, text: string): Answer {
  return { status: 201, text, shows: text, location: `${PATHS[of]}/${id}` };
}

/** @param seen what the client has already, or `*` */
export function shown(answer: Answer, seen: string | undefined): Answer {
  return seen === '*' || (seen !== undefined && seen === answer.shows) ? { ...answer, status: 304, text: '' } : answer;
}
