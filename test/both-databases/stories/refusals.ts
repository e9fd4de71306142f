import { generateApiKey } from '../../../src/auth/keys/api-key-format.js';
import { get, patch, post, remove, type Step, type Story } from '../step.js';

/** One request for each operation. */
const OPERATIONS: readonly Step[] = [
  get('/v1/pets'),
  post('/v1/pets', '{"name":"x","categoryId":1}'),
  get('/v1/pets/1'),
  patch('/v1/pets/1', '{"name":"x"}'),
  remove('/v1/pets/1'),
  get('/v1/categories'),
  post('/v1/categories', '{"name":"x"}'),
  get('/v1/categories/1'),
  patch('/v1/categories/1', '{"name":"x"}'),
  post('/v1/store/orders', '{"petId":2}'),
  get('/v1/store/orders'),
  get('/v1/store/orders/1'),
  patch('/v1/store/orders/1', '{"status":"approved"}'),
  get('/v1/usage'),
  post('/v1/keys', '{}'),
  get('/v1/keys'),
  get('/v1/keys/key_0000000000000000'),
  post('/v1/keys/key_0000000000000000/rotate', '{}'),
  remove('/v1/keys/key_0000000000000000'),
];

/** A well-formed key that was never issued. */
const UNKNOWN = generateApiKey('live');

const withBody = OPERATIONS.filter(({ body }) => body !== undefined);

const asCaller = (key: string | undefined) => OPERATIONS.map((step): Step => ({ ...step, key }));

/** Creates pets 1 to 6. */
export const SEED: Story = {
  name: 'pets to begin with',
  steps: Array.from({ length: 6 }, (_, n) =>
    post('/v1/pets', `{"name":"pet ${n}","categoryId":1,"status":"available"}`),
  ),
};

/** Requests after the sunset of getPet. */
const SUNSET: Story = {
  name: 'an operation up to its removal date, and after it',
  steps: [
    get('/v1/pets/3', { at: '2030-12-04T23:59:59.999Z' }),
    get('/v1/pets/3', { at: '2030-12-05T00:00:00Z' }),
    get('/v1/pets?limit=1'),
    { path: '/openapi.json' },
  ],
};

export const REFUSALS: readonly Story[] = [
  SEED,
  ...Object.entries({
    'a narrow key': '<stranger>',
    'an expired key': '<expired>',
    'a revoked key': '<revoked>',
    'a key of a suspended account': '<suspended>',
    'an unknown key': UNKNOWN,
    'no key': undefined,
  }).map(([caller, key]): Story => ({ name: `every operation, called with ${caller}`, steps: asCaller(key) })),
  {
    name: 'every operation, with a parameter that it lacks',
    steps: OPERATIONS.map((step) => ({ ...step, path: `${step.path}?nope=1` })),
  },
  {
    name: 'every operation that takes a body, with a bad one',
    steps: withBody.flatMap((step) =>
      ['{', '[]', '{"nope":1}', ' '.repeat(17_000)].map((body): Step => ({ ...step, body })),
    ),
  },
  {
    name: 'every operation that takes a body, in another media type',
    steps: withBody.map((step) => ({ ...step, headers: { 'Content-Type': 'text/plain' } })),
  },
  {
    name: 'paths and methods of every kind',
    steps: [
      ...[
        '/v1',
        '/v1/',
        '/v1/nothing',
        '/v1/__proto__',
        '/v1/constructor',
        '/v1/pets/',
        '/v1/pets/1/2',
        '/v1/%zz',
        '/v2/pets',
        '/',
        '/nothing',
      ].map((path) => get(path)),
      ...['HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE', 'PROPFIND'].flatMap((method) =>
        ['/v1/pets', '/v1/pets/2', '/v1/usage', '/v1/keys'].map((path) => get(path, { method })),
      ),
      {
        method: 'OPTIONS',
        path: '/v1/pets',
        headers: { Origin: 'https://app.example.com', 'Access-Control-Request-Method': 'POST' },
      },
      get('/v1/pets?limit=1', { headers: { Origin: 'https://app.example.com' } }),
      get('/v1/pets', { headers: { 'X-Large': 'x'.repeat(70_000) } }),
      ...['/health/live', '/health/ready', '/openapi.json', '/openapi.yaml', '/docs'].map((path): Step => ({ path })),
      ...['error', 'text', 'query', 'status', 'circular', 'teapot'].map((fault) => get(`/v1/faults/${fault}`)),
    ],
  },
  SUNSET,
];

/** Requests during and after an outage of the databases. No cache holds a response to any of them. */
export const AWAY: readonly Step[] = [
  get('/v1/pets?limit=9'),
  get('/v1/pets/4'),
  post('/v1/pets', '{"name":"x","categoryId":1}'),
  post('/v1/pets', '{"name":"x","categoryId":1}', { headers: { 'Idempotency-Key': 'away' } }),
  patch('/v1/pets/4', '{"name":"y"}'),
  get('/v1/categories'),
  post('/v1/store/orders', '{"petId":6}'),
  get('/v1/keys'),
  post('/v1/keys', '{}'),
  get('/v1/usage'),
  get('/v1/pets', { key: UNKNOWN }),
  get('/v1/nothing'),
  { path: '/health/ready' },
  { path: '/health/live' },
];
