import { get, post, type Step, type Story } from '../step.js';

const PET = '{"name":"Nala","categoryId":9223372036854775807,"status":"available"}';

const keyed = (idempotencyKey: string | string[], path = '/v1/pets', body = PET, more: Partial<Step> = {}) =>
  post(path, body, { ...more, headers: { 'Idempotency-Key': idempotencyKey } });

const KEYS = [
  'x',
  ' a b ',
  '__proto__',
  'constructor',
  '0',
  "'; --",
  '~'.repeat(255),
  '~'.repeat(256),
  '',
  'a\tb',
  'k\xe9',
  ['a', 'a'],
  'X',
  '"X"',
  '""',
  '"a \\"b\\" \\\\"',
];

export const REPEATS: readonly Story[] = [
  { name: 'Idempotency-Keys of every kind, each sent twice', steps: [...KEYS, ...KEYS].map((key) => keyed(key)) },
  {
    name: 'requests that are sent again',
    steps: [
      keyed('pet'),
      keyed('pet'),
      keyed('pet', '/v1/pets', `${PET} `),
      keyed('pet', '/v1/%70ets'),
      keyed('pet', '/v1/categories', '{"name":"x"}'),
      keyed('pet', '/v1/pets', PET, { key: '<sibling>' }),
      keyed('pet', '/v1/pets', PET, { key: '<other>' }),
      keyed('category', '/v1/categories', '{"name":"Fish","id":-77}'),
      keyed('category', '/v1/categories', '{"name":"Fish","id":-77}'),
      keyed('order', '/v1/store/orders', '{"petId":1}'),
      keyed('order', '/v1/store/orders', '{"petId":1}'),
      keyed('key', '/v1/keys', '{"scopes":["pets:read"]}'),
      post('/v1/keys', '{"scopes":["pets:read"]}'),
      keyed('rotation', '/v1/keys/<key 1>/rotate', '{}'),
      post('/v1/keys/<key 1>/rotate', '{}'),
      keyed('failed', '/v1/pets', '{}'),
      keyed('failed'),
      get('/v1/pets?limit=100'),
      keyed('pet', '/v1/pets', PET, { waitSeconds: 86_399 }),
      keyed('pet', '/v1/pets', `${PET} `, { waitSeconds: 1 }),
      keyed('pet'),
    ],
  },
];
