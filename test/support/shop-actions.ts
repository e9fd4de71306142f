import { type Ask, JSON_TYPE } from './http.js';

/** What the shop has lists of. */
export type Room = 'pets' | 'categories' | 'orders';

/** Fields of a body, in the order in which they are sent. Identifiers are decimal digits, and are sent as integers. */
export type Fields = Readonly<Partial<Record<'id' | 'name' | 'categoryId' | 'petId' | 'status', string | null>>>;

interface Common {
  /** Which of the accounts sends it. */
  readonly as: number;
  readonly of: Room;
}

interface Conditional {
  /** What the client believes to be there (`Answer.shows`), or `*`. */
  readonly ifMatch?: string | undefined;
}

interface Revalidating {
  /** What the client has already (`Answer.shows`), or `*`. */
  readonly ifNoneMatch?: string | undefined;
}

export interface List extends Common, Revalidating {
  readonly do: 'list';
  readonly limit?: number | undefined;
  readonly status?: string | undefined;
  readonly after?: string | undefined;
}

export interface Get extends Common, Revalidating {
  readonly do: 'get';
  readonly id: string;
}

export interface Create extends Common {
  readonly do: 'create';
  readonly fields: Fields;
  readonly idempotencyKey?: string | undefined;
}

export interface Change extends Common, Conditional {
  readonly do: 'change';
  readonly id: string;
  readonly fields: Fields;
}

export interface Remove extends Common, Conditional {
  readonly do: 'remove';
  readonly of: 'pets';
  readonly id: string;
}

/** A request to the shop. */
export type Action = List | Get | Create | Change | Remove;

/** Where the lists are. */
export const PATHS = { pets: '/v1/pets', categories: '/v1/categories', orders: '/v1/store/orders' } as const satisfies Record<Room, string>;

const METHODS = { list: 'GET', get: 'GET', create: 'POST', change: 'PATCH', remove: 'DELETE' } as const;
const SENT_AS_INTEGERS = new Set(['id', 'petId', 'categoryId']);

/** The target of an action. */
export function pathOf(action: Action): string {
  const list = PATHS[action.of];
  if (action.do === 'create') return list;
  if (action.do !== 'list') return `${list}/${action.id}`;
  const { limit, status, after } = action;
  const query = Object.entries({ limit, status, after }).filter(([, value]) => value !== undefined);
  return query.length === 0 ? list : `${list}?${query.map((pair) => pair.join('=')).join('&')}`;
}

/** @param tagOf the ETag of what a client has seen */
export function requestOf(action: Action, tagOf: (shown: string) => string): Ask {
  const headers: Record<string, string> = {};
  if ('ifMatch' in action && action.ifMatch !== undefined) headers['If-Match'] = tagOf(action.ifMatch);
  if ('ifNoneMatch' in action && action.ifNoneMatch !== undefined) headers['If-None-Match'] = tagOf(action.ifNoneMatch);
  if ('idempotencyKey' in action && action.idempotencyKey !== undefined) headers['Idempotency-Key'] = action.idempotencyKey;
  const request = { method: METHODS[action.do], path: pathOf(action) };
  return 'fields' in action ? { ...request, headers: { ...headers, ...JSON_TYPE }, body: bodyOf(action.fields) } : { ...request, headers };
}

function bodyOf(fields: Fields): string {
  const members = Object.entries(fields).map(([name, value]) => `"${name}":${SENT_AS_INTEGERS.has(name) ? value : JSON.stringify(value)}`);
  return `{${members.join()}}`;
}
