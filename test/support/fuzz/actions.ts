import { type Ask, JSON_TYPE } from '../http.js';

export type Resource = 'pets' | 'categories' | 'orders';

/** Fields of a body, in the order in which they are sent. Identifiers are decimal digits, sent as integers. */
export type Fields = Readonly<Partial<Record<'id' | 'name' | 'categoryId' | 'petId' | 'status', string | null>>>;

interface Common {
  /** Index of the account that sends it. */
  readonly as: number;
  readonly of: Resource;
}

interface Conditional {
  /** Representation that the client expects (`ExpectedResponse.representation`), or `*`. */
  readonly ifMatch?: string | undefined;
}

interface Revalidating {
  /** Representation that the client has (`ExpectedResponse.representation`), or `*`. */
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

export type Action = List | Get | Create | Change | Remove;

export const PATHS = {
  pets: '/v1/pets',
  categories: '/v1/categories',
  orders: '/v1/store/orders',
} as const satisfies Record<Resource, string>;

const METHODS = { list: 'GET', get: 'GET', create: 'POST', change: 'PATCH', remove: 'DELETE' } as const;
const SENT_AS_INTEGERS = new Set(['id', 'petId', 'categoryId']);

export function pathOf(action: Action): string {
  const list = PATHS[action.of];
  if (action.do === 'create') return list;
  if (action.do !== 'list') return `${list}/${action.id}`;
  const { limit, status, after } = action;
  const query = Object.entries({ limit, status, after }).filter(([, value]) => value !== undefined);
  return query.length === 0 ? list : `${list}?${query.map((pair) => pair.join('=')).join('&')}`;
}

/** @param etagOf returns the ETag of a representation */
export function requestOf(action: Action, etagOf: (representation: string) => string): Ask {
  const headers: Record<string, string> = {};
  if ('ifMatch' in action && action.ifMatch !== undefined) headers['If-Match'] = etagOf(action.ifMatch);
  if ('ifNoneMatch' in action && action.ifNoneMatch !== undefined)
    headers['If-None-Match'] = etagOf(action.ifNoneMatch);
  if ('idempotencyKey' in action && action.idempotencyKey !== undefined)
    headers['Idempotency-Key'] = action.idempotencyKey;
  const request = { method: METHODS[action.do], path: pathOf(action) };
  return 'fields' in action
    ? { ...request, headers: { ...headers, ...JSON_TYPE }, body: bodyOf(action.fields) }
    : { ...request, headers };
}

function bodyOf(fields: Fields): string {
  const members = Object.entries(fields).map(
    ([name, value]) => `"${name}":${SENT_AS_INTEGERS.has(name) ? value : JSON.stringify(value)}`,
  );
  return `{${members.join()}}`;
}
