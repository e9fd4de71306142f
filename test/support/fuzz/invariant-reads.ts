import { type Action, type Get, type List, PATHS } from './actions.js';
import type { ClientHistory } from './client-history.js';

/**
 * Reads of everything that a request changes. Sent right before and right after the request, they detect a stale cache.
 * @param isAlone true if no other client changes the lists
 */
export function invariantReads(action: Action, history: ClientHistory, isAlone: boolean): (Get | List)[] {
  if (action.do === 'list' || action.do === 'get') return [];
  const { as, of } = action;
  const petId = petOf(action, history);
  const reads: (Get | List)[] = action.do === 'create' ? [] : [{ do: 'get', as, of, id: action.id }];
  if (petId === undefined) return reads;
  if (of === 'orders') reads.push({ do: 'get', as, of: 'pets', id: petId });
  const before = BigInt(petId) - 1n;
  if (isAlone) reads.push({ do: 'list', as, of: 'pets', limit: 1, after: before > 0n ? String(before) : undefined });
  return reads;
}

/** Returns the pet that a request affects, unless its identifier is invalid. */
function petOf(action: Exclude<Action, Get | List>, history: ClientHistory): string | undefined {
  const id =
    action.do === 'create'
      ? action.fields.petId
      : action.of === 'pets'
        ? action.id
        : /"petId":(\d+)/.exec(history.representations.get(`${PATHS.orders}/${action.id}`) ?? '')?.[1];
  return typeof id === 'string' && /^[1-9]\d{0,17}$/.test(id) ? id : undefined;
}
