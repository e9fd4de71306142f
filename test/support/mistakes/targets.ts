import { didYouMean } from './bodies.js';

const KNOWN = 'known: status, categoryId, ids, after, limit';
const unknown = (name: string, meant?: string) =>
  `"${name}" is not a known query parameter (${didYouMean(meant)}${KNOWN}).`;

/** Queries with a mistake, and the message of the 400 `validation_failed`. */
export const QUERY_MISTAKES: readonly (readonly [target: string, message: string])[] = [
  ['/v1/pets?limt=5', unknown('limt', 'limit')],
  ['/v1/pets?Limit=5', unknown('Limit', 'limit')],
  ['/v1/pets?page=2', '"page" is not a known query parameter (for the next page, follow the Link header).'],
  ['/v1/pets?offset=20', '"offset" is not a known query parameter (for the next page, follow the Link header).'],
  ['/v1/pets?cursor=x', '"cursor" is not a known query parameter (for the next page, follow the Link header).'],
  ['/v1/pets?skip=20', '"skip" is not a known query parameter (for the next page, follow the Link header).'],
  ['/v1/pets?per_page=5', unknown('per_page', 'limit')],
  ['/v1/pets?category_id=3', unknown('category_id', 'categoryId')],
  ['/v1/pets?category=3', unknown('category', 'categoryId')],
  ['/v1/pets?id=1', unknown('id', 'ids')],
  ['/v1/pets?sort=name', unknown('sort')],
  ['/v1/pets?limit=0', 'limit must be an integer from 1 to 100.'],
  ['/v1/pets?limit=101', 'limit must be an integer from 1 to 100.'],
  ['/v1/pets?limit=ten', 'limit must be an integer from 1 to 100.'],
  ['/v1/pets?limit=', 'limit must be an integer from 1 to 100.'],
  ['/v1/pets?limit=+5', 'limit must be an integer from 1 to 100.'],
  ['/v1/pets?limit=5&limit=6', 'limit must be given only once.'],
  ['/v1/pets?status=Sold', 'status must be one of available, pending, sold.'],
  ['/v1/pets?status=', 'status must be one of available, pending, sold.'],
  ['/v1/pets?status=sold,pending', 'status must be one of available, pending, sold.'],
  ['/v1/pets?categoryId=dogs', 'categoryId must be an integer from -9223372036854775808 to 9223372036854775807.'],
  ['/v1/pets?ids=1,,2', 'ids must be 1 to 100 integers from 1 to 9223372036854775807, separated by commas.'],
  ['/v1/pets?ids=[1,2]', 'ids must be 1 to 100 integers from 1 to 9223372036854775807, separated by commas.'],
  ['/v1/pets?after=0', 'after must be an integer from 1 to 9223372036854775807.'],
  ['/v1/pets/1?verbose=1', '"verbose" is not a known query parameter (known: none).'],
  [
    '/v1/pets/1?a=1&b=2',
    '"a" is not a known query parameter (known: none); "b" is not a known query parameter (known: none).',
  ],
  ['/v1/usage?month=5', '"month" is not a known query parameter (known: none).'],
  [
    '/v1/store/orders?stat=placed',
    '"stat" is not a known query parameter (did you mean status? known: status, after, limit).',
  ],
  ['/v1/keys?after=!', 'after must be as in the Link header of the previous page.'],
  ['/v1/keys?page=2', '"page" is not a known query parameter (for the next page, follow the Link header).'],
];

/** Paths with a mistake, and the path in the message of the 404; empty if no path is near. */
export const PATH_MISTAKES: readonly (readonly [path: string, meant: string])[] = [
  ['/v1/pet', '/v1/pets'],
  ['/v1/Pets', '/v1/pets'],
  ['/v1/pets/', '/v1/pets'],
  ['/pets', '/v1/pets'],
  ['/pets/1', '/v1/pets/{petId}'],
  ['/v1/pet/1', '/v1/pets/{petId}'],
  ['/v1/pets/1/', '/v1/pets/{petId}'],
  ['/v1//pets', '/v1/pets'],
  ['/v2/pets', '/v1/pets'],
  ['/v1/store/order', '/v1/store/orders'],
  ['/v1/store/orders/', '/v1/store/orders'],
  ['/v1/order', ''],
  ['/v1/orders', '/v1/store/orders'],
  ['/v1/orders/1', '/v1/store/orders/{orderId}'],
  ['/v1/category', ''],
  ['/v1/categorys', '/v1/categories'],
  ['/v1/categories/1/pets', ''],
  ['/v1/key', '/v1/keys'],
  ['/v1/keys/key_0123456789abcdef/rotates', '/v1/keys/{keyId}/rotate'],
  ['/v1/keys/key_0123456789abcdef/usages', '/v1/keys/{keyId}/usage'],
  ['/v1/usages', '/v1/usage'],
  ['/v1', ''],
  ['/v1/', ''],
  ['/api/v1/pets', ''],
  ['/v1/pets/psk_live_abc/x', '/v1/pets/{petId}'],
  ['/V1/pets', '/v1/pets'],
  ['/v1/pets.json', ''],
];
