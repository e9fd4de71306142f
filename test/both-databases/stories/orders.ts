import { get, patch, post, remove, type Step, type Story } from '../step.js';
import { NUMBERS, WRITTEN } from './values.js';

const place = (petId: string, more: Partial<Step> = {}) => post('/v1/store/orders', `{"petId":${petId}}`, more);
const move = (id: string, status: string, more: Partial<Step> = {}) =>
  patch(`/v1/store/orders/${id}`, `{"status":"${status}"}`, more);

/** Pets 1 to 6, which no other recording uses. */
const stock = Array.from({ length: 6 }, (_, n) =>
  post('/v1/pets', `{"name":"pet ${n}","categoryId":${n % 2},"status":"available"}`),
);

const listings = [
  '',
  '?limit=1',
  '?limit=2&after=1',
  '?status=placed',
  '?status=cancelled&limit=1',
  '?after=9007199254740993',
].map((query) => get(`/v1/store/orders${query}`));

export const ORDERS: readonly Story[] = [
  {
    name: 'orders from placing to the end',
    steps: [
      ...stock,
      ...listings,
      place('1'),
      place('1'),
      place('1', { key: '<other>' }),
      patch('/v1/pets/1', '{"status":"available"}'),
      patch('/v1/pets/1', '{"name":"held"}'),
      remove('/v1/pets/1'),
      move('1', 'placed'),
      move('1', 'delivered'),
      move('1', 'approved', { waitSeconds: 1 }),
      move('1', 'delivered', { key: '<other>' }),
      get('/v1/store/orders/1', { key: '<other>' }),
      move('1', 'delivered'),
      move('1', 'cancelled'),
      place('1'),
      get('/v1/pets/1'),
      patch('/v1/pets/1', '{"status":null}'),
      place('2', { waitSeconds: 1 }),
      move('2', 'cancelled'),
      move('2', 'approved'),
      get('/v1/pets/2'),
      place('2', { key: '<other>' }),
      place('3'),
      place('4'),
      ...listings,
      get('/v1/store/orders', { key: '<other>' }),
      get('/v1/categories?limit=100'),
    ],
  },
  {
    name: 'pets to order of every kind',
    steps: [
      ...NUMBERS.map((number) => place(number)),
      ...['{}', '{"petId":5,"quantity":1}', '{"petId":5,"__proto__":1}', '{"petId":null}', '[5]'].map((body) =>
        post('/v1/store/orders', body),
      ),
      ...['"Placed"', 'null', '"__proto__"', '"shipped"', '1'].map((status) =>
        patch('/v1/store/orders/4', `{"status":${status}}`),
      ),
      ...listings,
    ],
  },
  {
    name: 'order identifiers of every kind',
    steps: WRITTEN.flatMap((text) => [
      get(`/v1/store/orders/${text}`),
      move(text, 'approved'),
      get(`/v1/store/orders?after=${text}`),
      get(`/v1/store/orders?status=${text}`),
    ]),
  },
  {
    name: 'conditions on orders',
    steps: [
      get('/v1/store/orders/4'),
      get('/v1/store/orders/4', { headers: { 'If-None-Match': '"<etag>"' } }),
      move('4', 'cancelled', { headers: { 'If-Match': '"x"' } }),
      get('/v1/store/orders/4'),
      move('4', 'cancelled', { headers: { 'If-Match': '"<etag>"' } }),
      get('/v1/store/orders?limit=1'),
      get('/v1/store/orders?limit=1', { headers: { 'If-None-Match': '"<etag>"' } }),
    ],
  },
];
