import type { Create, Room } from './shop-actions.js';

/** Identifiers are decimal digits throughout. */
interface Pet {
  readonly id: string;
  name: string;
  categoryId: string;
  status: string | null;
  /** Whether an open order holds it. */
  isHeld: boolean;
}

interface Category {
  readonly id: string;
  name: string;
}

interface Order {
  readonly id: string;
  /** Which of the accounts placed it. */
  readonly as: number;
  readonly petId: string;
  status: string;
  readonly createdAt: string;
}

/** What the shop should answer. */
export interface Answer {
  readonly status: number;
  /** Of an error. */
  readonly code?: string;
  /** Body of a success, byte for byte. */
  readonly text?: string;
  readonly link?: string;
  readonly location?: string;
  /** What the ETag stands for: equal where the ETag has to be equal, and not where it must not. */
  readonly shows?: string;
}

/** All that the shop knows, as plain data, so that it can be copied. */
export interface ShopState {
  readonly pets: Map<string, Pet>;
  readonly categories: Map<string, Category>;
  readonly orders: Map<string, Order>;
  /** Answers to requests with an Idempotency-Key, by account and key. */
  readonly kept: Map<string, { readonly action: Create; readonly answer: Answer }>;
  /** Identifiers that were given to pets and orders, of which none is given again. */
  readonly spent: Readonly<Record<'pets' | 'orders', Set<string>>>;
}

export function emptyShop(): ShopState {
  return { pets: new Map(), categories: new Map(), orders: new Map(), kept: new Map(), spent: { pets: new Set(), orders: new Set() } };
}

/** Something of a list, as it is answered. */
export interface Row {
  readonly id: string;
  readonly status: string | null;
  readonly text: string;
}

/** What an account sees of a list, in ascending order of the identifiers. */
export function rowsOf(state: ShopState, of: Room, as: number): Row[] {
  return unsorted[of](state, as).toSorted((one, other) => (BigInt(one.id) < BigInt(other.id) ? -1 : 1));
}

const unsorted: Record<Room, (state: ShopState, as: number) => Row[]> = {
  pets: ({ pets }) => [...pets.values()].map((pet) => ({ id: pet.id, status: pet.status, text: petText(pet) })),
  orders: ({ orders }, as) =>
    [...orders.values()].filter((order) => order.as === as).map((order) => ({ id: order.id, status: order.status, text: orderText(order) })),
  categories: ({ pets, categories }) => {
    const byCategory = Map.groupBy(pets.values(), ({ categoryId }) => categoryId);
    return [...categories.values()].map((category) => ({ id: category.id, status: null, text: categoryText(category, byCategory.get(category.id)) }));
  },
};

function petText({ id, name, categoryId, status }: Pet): string {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}${status === null ? '' : `,"status":"${status}"`}}`;
}

function categoryText({ id, name }: Category, pets: readonly Pet[] = []): string {
  const count = (wanted: string | null) => pets.filter(({ status }) => status === wanted).length;
  const counts = `"available":${count('available')},"pending":${count('pending')},"sold":${count('sold')},"none":${count(null)}`;
  return `{"id":${id},"name":${JSON.stringify(name)},"pets":{"total":${pets.length},${counts}}}`;
}

function orderText({ id, petId, status, createdAt }: Order): string {
  return `{"id":${id},"petId":${petId},"status":"${status}","createdAt":"${createdAt}"}`;
}
