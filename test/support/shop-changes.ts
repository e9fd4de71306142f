import type { Create, Fields, Room } from './shop-actions.js';
import { created, type Refusal, refusal } from './shop-answers.js';
import { type Answer, rowsOf, type ShopState } from './shop-state.js';

/** What the shop made up itself, as its answer says. */
export interface Given {
  readonly id?: string | undefined;
  readonly createdAt?: string | undefined;
}

/** Stands for what the shop should have given, and is nothing that it could give. */
const UNFIT = '-404404404';

/** Undefined where nothing speaks against it. */
type Outcome = Refusal | undefined;

const NEXT: Readonly<Record<string, readonly string[]>> = { placed: ['approved', 'cancelled'], approved: ['delivered', 'cancelled'] };

export function createIn(state: ShopState, { as, of, fields }: Create, given: Given): Answer {
  const id = of === 'categories' ? (fields.id ?? freeCategory(state, given.id)) : unspent(state.spent[of], given.id);
  const refused = CREATIONS[of](state, fields, { id, createdAt: given.createdAt ?? UNFIT, as });
  if (refused !== undefined) return refusal(refused);
  return created(of, id, rowsOf(state, of, as).find((row) => row.id === id)?.text ?? '');
}

const CREATIONS: Record<Room, (state: ShopState, fields: Fields, more: { readonly id: string; readonly createdAt: string; readonly as: number }) => Outcome> = {
  pets({ pets, spent }, { name, categoryId, status = null }, { id }) {
    spent.pets.add(id);
    pets.set(id, { id, name: String(name), categoryId: String(categoryId), status, isHeld: false });
    return undefined;
  },
  categories({ categories }, { name }, { id }) {
    if (categories.has(id)) return 'category_exists';
    categories.set(id, { id, name: String(name) });
    return undefined;
  },
  orders({ pets, orders, spent }, { petId }, { id, createdAt, as }) {
    const pet = pets.get(String(petId));
    if (pet === undefined) return 'pet_not_found';
    if (pet.status !== 'available') return 'pet_not_available';
    Object.assign(pet, { status: 'pending', isHeld: true });
    spent.orders.add(id);
    orders.set(id, { id, as, petId: pet.id, status: 'placed', createdAt });
    return undefined;
  },
};

/** Of something that is there, and that the account may see. */
export function changeIn(state: ShopState, of: Room, id: string, fields: Fields): Outcome {
  return CHANGES[of](state, id, fields);
}

const CHANGES: Record<Room, (state: ShopState, id: string, fields: Fields) => Outcome> = {
  pets({ pets }, id, fields) {
    const pet = found(pets, id);
    if (fields.status !== undefined && fields.status !== pet.status) {
      if (pet.isHeld) return 'pet_in_order';
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
    if (status === 'delivered') Object.assign(found(pets, order.petId), { status: 'sold', isHeld: false });
    if (status === 'cancelled') Object.assign(found(pets, order.petId), { status: 'available', isHeld: false });
    return undefined;
  },
};

export function removePetIn({ pets }: ShopState, id: string): Outcome {
  if (found(pets, id).isHeld) return 'pet_in_order';
  pets.delete(id);
  return undefined;
}

function found<T>(things: ReadonlyMap<string, T>, id: string): T {
  const thing = things.get(id);
  if (thing === undefined) throw new Error(`The model lacks ${id}.`);
  return thing;
}

/** No identifier of a pet or an order is given twice. */
function unspent(spent: ReadonlySet<string>, id = UNFIT): string {
  return spent.has(id) || !/^[1-9][0-9]*$/.test(id) ? UNFIT : id;
}

/** Above all that categories and pets use, as far as the shop gives them itself. */
function freeCategory({ pets, categories }: ShopState, id = UNFIT): string {
  const used = [...categories.keys(), ...[...pets.values()].map(({ categoryId }) => categoryId)].map(BigInt);
  const issued = used.filter((one) => one <= Number.MAX_SAFE_INTEGER);
  return issued.every((one) => BigInt(id) > one) && BigInt(id) > 0 && BigInt(id) <= Number.MAX_SAFE_INTEGER ? id : UNFIT;
}
