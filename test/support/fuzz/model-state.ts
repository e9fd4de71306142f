import type { Create, Resource } from './actions.js';

/** Identifiers are strings of decimal digits. */
interface Pet {
  readonly id: string;
  name: string;
  categoryId: string;
  status: string | null;
  /** True if an open order reserves it. */
  isReserved: boolean;
}

interface Category {
  readonly id: string;
  name: string;
}

interface Order {
  readonly id: string;
  /** Index of the account that placed it. */
  readonly as: number;
  readonly petId: string;
  status: string;
  readonly createdAt: string;
}

export interface ExpectedResponse {
  readonly status: number;
  readonly code?: string;
  /** Body of a success, byte for byte. */
  readonly text?: string;
  readonly link?: string;
  readonly location?: string;
  /** What the ETag identifies. Two representations are equal if and only if their ETags must be equal. */
  readonly representation?: string;
}

/** What the service must tell of a change. */
export interface ModelEvent {
  readonly subject: string;
  readonly type: string;
  readonly data: string;
  /** Index of the only account that is told, if not all are. */
  readonly as: number | undefined;
}

/** The state of the model, as plain data that can be copied. */
export interface ModelState {
  readonly pets: Map<string, Pet>;
  readonly categories: Map<string, Category>;
  readonly orders: Map<string, Order>;
  /** Responses to requests with an Idempotency-Key, by account and key. */
  readonly idempotentRequests: Map<string, { readonly action: Create; readonly response: ExpectedResponse }>;
  /** Identifiers of all pets and orders so far. The service must not assign them again. */
  readonly usedIds: Readonly<Record<'pets' | 'orders', Set<string>>>;
  readonly events: ModelEvent[];
}

export function emptyState(): ModelState {
  return {
    pets: new Map(),
    categories: new Map(),
    orders: new Map(),
    idempotentRequests: new Map(),
    usedIds: { pets: new Set(), orders: new Set() },
    events: [],
  };
}

/** An element of a list, as the service returns it. */
export interface Row {
  readonly id: string;
  readonly status: string | null;
  readonly text: string;
}

/** Returns the elements of a list that an account can see, by ascending identifier. */
export function rowsOf(state: ModelState, of: Resource, as: number): Row[] {
  const all: readonly { id: string; status?: string | null; as?: number }[] = [...state[of].values()];
  return all
    .filter((one) => one.as === undefined || one.as === as)
    .map(({ id, status = null }) => ({ id, status, text: textOf(state, of, id) ?? '' }))
    .toSorted((one, other) => (BigInt(one.id) < BigInt(other.id) ? -1 : 1));
}

/** The JSON of a resource, whoever can see it. */
export function textOf({ pets, categories, orders }: ModelState, of: Resource, id: string): string | undefined {
  const [pet, category, order] = [pets.get(id), categories.get(id), orders.get(id)];
  if (of === 'pets') return pet && petText(pet);
  return of === 'orders' ? order && orderText(order) : category && categoryText(category);
}

function petText({ id, name, categoryId, status }: Pet): string {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}${status === null ? '' : `,"status":"${status}"`}}`;
}

function categoryText({ id, name }: Category): string {
  return `{"id":${id},"name":${JSON.stringify(name)}}`;
}

/** The default of ORDER_EXPIRY_HOURS. */
const EXPIRY_MS = 72 * 3_600_000;

function orderText({ id, petId, status, createdAt }: Order): string {
  const expiry = `,"expiresAt":"${new Date(Date.parse(createdAt) + EXPIRY_MS).toISOString()}"`;
  return `{"id":${id},"petId":${petId},"status":"${status}","createdAt":"${createdAt}"${status === 'placed' ? expiry : ''}}`;
}
