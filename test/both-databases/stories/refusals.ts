import { generateApiKey } from '../../../src/auth/keys/api-key-format.js';
import { get, patch, post, type Step, type Story } from '../step.js';

/** A well-formed key that was never issued. */
const UNKNOWN = generateApiKey('live');

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
  }).map(([caller, key]): Story => ({
    name: `requests with ${caller}`,
    steps: [get('/v1/pets', { key }), get('/v1/usage', { key })],
  })),
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
