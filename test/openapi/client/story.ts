import createClient from 'openapi-fetch';
import type { components, paths } from './petstore.js';

/*
 * A client program as API users would write it, with types that openapi-typescript generates from the document. It takes
 * the address of the API and a key with the `keys:manage` scope, and prints the results.
 */

type Animal = components['schemas']['Animal'];

const [baseUrl = '', managerKey = ''] = process.argv.slice(2);

const clientOf = (key: string) => createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

/** Returns the body of a successful response. The operation determines its type. */
function must<T>({
  data,
  error,
  response,
}: {
  data?: T;
  error?: components['schemas']['Error'];
  response: Response;
}): T {
  if (error !== undefined || data === undefined)
    throw new Error(`${response.status} ${error?.code}: ${error?.message}`);
  return data;
}

/** `code` is any text, because codes can be added. The type of the known ones completes and checks them. */
const isCode = (error: { code: string } | undefined, code: components['schemas']['KnownErrorCode']) =>
  error?.code === code;

const issued = must(
  await clientOf(managerKey).POST('/keys', {
    body: { scopes: ['pets:read', 'pets:write', 'orders:read', 'orders:write'] },
  }),
);
const shop = clientOf(issued.key);

const before: Animal[] = must(await shop.GET('/pets', { params: { query: { limit: 100, status: 'available' } } }));

const bella = must(
  await shop.POST('/pets', {
    params: { header: { 'Idempotency-Key': 'story: Bella' } },
    body: { name: 'Bella', categoryId: 3, status: 'available' },
  }),
);

const keyPath = { params: { path: { keyId: issued.id } } };
const rotated = must(await clientOf(managerKey).POST('/keys/{keyId}/rotate', keyPath));

const order = must(
  await shop.POST('/store/orders', {
    params: { header: { 'Idempotency-Key': 'story: order' } },
    body: { petId: bella.id },
  }),
);
const path = { orderId: order.id };
const approved = await shop.PATCH('/store/orders/{orderId}', { params: { path }, body: { status: 'approved' } });
const delivered = must(
  await shop.PATCH('/store/orders/{orderId}', {
    params: { path, header: { 'If-Match': approved.response.headers.get('ETag') ?? '' } },
    body: { status: 'delivered' },
  }),
);

const refused = await shop.POST('/store/orders', { body: { petId: bella.id } });

// @ts-expect-error No pet has that status.
const unknownStatus = await shop.GET('/pets', { params: { query: { status: 'lost' } } });
// @ts-expect-error An order needs a pet.
const withoutPet = await shop.POST('/store/orders', { body: {} });
// @ts-expect-error There is no such path.
const nowhere = await shop.GET('/toys');
// @ts-expect-error There is no such code.
isCode(refused.error, 'pet_gone');

process.stdout.write(
  JSON.stringify({
    before,
    bella,
    replaces: rotated.replaces === issued.id,
    isRefused: isCode(refused.error, 'pet_not_available'),
    statuses: [order.status, must(approved).status, delivered.status],
    refusals: [refused, unknownStatus, withoutPet, nowhere].map(
      ({ error }) => (error as components['schemas']['Error'] | undefined)?.code,
    ),
  }),
);
