import type { Create, Fields, Resource } from './actions.js';
import { created, type Refusal, refusal } from './expected-responses.js';
import { type ExpectedResponse, type ModelState, textOf } from './model-state.js';

/** Values that the service assigned, read from its response. */
export interface ServerAssigned {
  readonly id?: string | undefined;
  readonly createdAt?: string | undefined;
}

/** Stands for a missing value that the service should have assigned. The service cannot assign this value. */
const INVALID = '-404404404';

/** Undefined on success. */
type Outcome = Refusal | undefined;

const NEXT: Readonly<Record<string, readonly string[]>> = {
  placed: ['approved', 'cancelled'],
  approved: ['delivered', 'cancelled'],
};

export function createIn(state: ModelState, { as, of, fields }: Create, assigned: ServerAssigned): ExpectedResponse {
  const id =
    of === 'categories' ? (fields.id ?? freeCategory(state, assigned.id)) : unusedId(state.usedIds[of], assigned.id);
  const refused = noting(state, { [of]: id, ...(fields.petId && { pets: fields.petId }) }, () =>
    CREATIONS[of](state, fields, { id, createdAt: assigned.createdAt ?? INVALID, as }),
  );
  return refused === undefined ? created(of, id, textOf(state, of, id) ?? '') : refusal(refused);
}

const CREATIONS: Record<
  Resource,
  (
    state: ModelState,
    fields: Fields,
    more: { readonly id: string; readonly createdAt: string; readonly as: number },
  ) => Outcome
> = {
  pets({ pets, usedIds }, { name, categoryId, status = null }, { id }) {
    usedIds.pets.add(id);
    pets.set(id, { id, name: String(name), categoryId: String(categoryId), status, isReserved: false });
    return undefined;
  },
  categories({ categories }, { name }, { id }) {
    if (categories.has(id)) return 'category_exists';
    categories.set(id, { id, name: String(name) });
    return undefined;
  },
  orders({ pets, orders, usedIds }, { petId }, { id, createdAt, as }) {
    const pet = pets.get(String(petId));
    if (pet === undefined) return 'pet_not_found';
    if (pet.status !== 'available') return 'pet_not_available';
    Object.assign(pet, { status: 'pending', isReserved: true });
    usedIds.orders.add(id);
    orders.set(id, { id, as, petId: pet.id, status: 'placed', createdAt });
    return undefined;
  },
};

/** Changes a resource that exists and belongs to the account. */
export function changeIn(state: ModelState, of: Resource, id: string, fields: Fields): Outcome {
  const pet = of === 'orders' ? found(state.orders, id).petId : id;
  return noting(state, { [of]: id, ...(of !== 'categories' && { pets: pet }) }, () => CHANGES[of](state, id, fields));
}

const CHANGES: Record<Resource, (state: ModelState, id: string, fields: Fields) => Outcome> = {
  pets({ pets }, id, fields) {
    const pet = found(pets, id);
    if (fields.status !== undefined && fields.status !== pet.status) {
      if (pet.isReserved) return 'pet_in_order';
      if (pet.status === 'sold') return 'invalid_status_transition';
    }
    Object.assign(pet, fields);
    return undefined;
  },
  categories({ categories }, id, fields) {
    Object.assign(found(categories, id), fields);
    return undefined;
  },
  orders({ pets, orders }, id, { status }) {
    const order = found(orders, id);
    if (status === order.status) return undefined;
    if (!NEXT[order.status]?.includes(String(status))) return 'invalid_status_transition';
    order.status = String(status);
    if (status === 'delivered') Object.assign(found(pets, order.petId), { status: 'sold', isReserved: false });
    if (status === 'cancelled') Object.assign(found(pets, order.petId), { status: 'available', isReserved: false });
    return undefined;
  },
};

export function removePetIn(state: ModelState, id: string): Outcome {
  if (found(state.pets, id).isReserved) return 'pet_in_order';
  noting(state, { pets: id }, () => state.pets.delete(id));
  return undefined;
}

const KINDS = { pets: 'pet', categories: 'category', orders: 'order' } as const;

/** Makes a change, and notes an event of each resource whose JSON is another one afterwards. */
function noting<T>(state: ModelState, touched: Readonly<Partial<Record<Resource, string>>>, change: () => T): T {
  const before = Object.entries(touched).map(
    ([of, id]) => [of as Resource, id, textOf(state, of as Resource, id)] as const,
  );
  const result = change();
  for (const [of, id, was] of before) {
    const now = textOf(state, of, id);
    if (was === now) continue;
    const order = of === 'orders' ? state.orders.get(id) : undefined;
    const verb = order?.status ?? (was === undefined ? 'created' : now === undefined ? 'removed' : 'changed');
    const kind = KINDS[of];
    state.events.push({ subject: `${kind}:${id}`, type: `${kind}.${verb}`, data: now ?? was ?? '', as: order?.as });
  }
  return result;
}

function found<T>(rows: ReadonlyMap<string, T>, id: string): T {
  const row = rows.get(id);
  if (row === undefined) throw new Error(`The model lacks ${id}.`);
  return row;
}

/** Identifiers of pets and orders are never reused. */
function unusedId(usedIds: ReadonlySet<string>, id = INVALID): string {
  return usedIds.has(id) || !/^[1-9][0-9]*$/.test(id) ? INVALID : id;
}

/**
 * Higher than every identifier of a category, including those that pets use, but within the range that the service
 * assigns.
 */
function freeCategory({ pets, categories }: ModelState, id = INVALID): string {
  const used = [...categories.keys(), ...[...pets.values()].map(({ categoryId }) => categoryId)].map(BigInt);
  const issued = used.filter((one) => one <= Number.MAX_SAFE_INTEGER);
  return issued.every((one) => BigInt(id) > one) && BigInt(id) > 0 && BigInt(id) <= Number.MAX_SAFE_INTEGER
    ? id
    : INVALID;
}
