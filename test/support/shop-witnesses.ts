import { type Action, type Get, type List, PATHS } from './shop-actions.js';
import type { ShopMemory } from './shop-memory.js';

/**
 * Requests that show what an action changes. Sent right before it and right after it, they tell whether somebody
 * remembers what is no longer true.
 * @param isAlone whether nobody else changes what a list has
 */
export function witnessesOf(action: Action, memory: ShopMemory, isAlone: boolean): (Get | List)[] {
  if (action.do === 'list' || action.do === 'get') return [];
  const { as, of } = action;
  const petId = petOf(action, memory);
  const witnesses: (Get | List)[] = action.do === 'create' ? [] : [{ do: 'get', as, of, id: action.id }];
  if (petId === undefined) return witnesses;
  if (of === 'orders') witnesses.push({ do: 'get', as, of: 'pets', id: petId });
  const before = BigInt(petId) - 1n;
  if (isAlone) witnesses.push({ do: 'list', as, of: 'pets', limit: 1, after: before > 0n ? String(before) : undefined });
  return witnesses;
}

/** The animal that an action is about, unless none could have its identifier. */
function petOf(action: Exclude<Action, Get | List>, memory: ShopMemory): string | undefined {
  const id = action.do === 'create' ? action.fields.petId : action.of === 'pets' ? action.id : /"petId":(\d+)/.exec(memory.shown.get(`${PATHS.orders}/${action.id}`) ?? '')?.[1];
  return typeof id === 'string' && /^[1-9]\d{0,17}$/.test(id) ? id : undefined;
}
