import { get, patch, post, remove, type Step, type Story } from '../step.js';

const create = (body: string, more: Partial<Step> = {}) => post('/v1/keys', body, { waitSeconds: 1, ...more });
const rotate = (id: string, body = '{}', more: Partial<Step> = {}) =>
  post(`/v1/keys/${id}/rotate`, body, { waitSeconds: 1, ...more });

const ODD_IDS = [
  '1',
  'key_',
  'key_0000000000000000%00',
  'key_000000000000000',
  'key_00000000000000000',
  '%00',
  '%ED%A0%80',
  'key_%C3%A400000000000000',
  'key_c000000000000000',
  '__proto__',
  '<ample>',
];

const BODIES = ['{"scopes":["pets:read"]}', '{"expiresInSeconds":60}', '{"expiresInSeconds":3155760000}'];

export const KEYS: readonly Story[] = [
  {
    name: 'keys in their order, page by page',
    steps: [
      get('/v1/keys'),
      ...[1, 2, 3, 7, 8, 9].map((limit) => get(`/v1/keys?limit=${limit}`)),
      ...[
        'key_a000000000000000',
        'key_B000000000000000',
        'key_AA00000000000000',
        'key_zzzzzzzzzzzzzzzz',
        'key_0000000000000000',
        'key_c000000000000000',
        'key_nobodys000000000',
      ].map((after) => get(`/v1/keys?limit=2&after=${after}`)),
      get('/v1/keys?limit=100', { key: '<crowded 0>' }),
    ],
  },
  {
    name: 'keys that are made, used, replaced and revoked',
    steps: [
      ...BODIES.map((body) => create(body)),
      get('/v1/keys?limit=100'),
      get('/v1/keys/<key 1>'),
      get('/v1/pets?limit=1', { key: '<psk_live 1>' }),
      post('/v1/pets', '{"name":"x","categoryId":1}', { key: '<psk_live 1>' }),
      get('/v1/keys/<key 1>'),
      get('/v1/keys/<key 1>/usage'),
      rotate('<key 1>'),
      rotate('<key 1>'),
      rotate('<key 2>', '{"overlapSeconds":0}'),
      get('/v1/pets', { key: '<psk_live 2>' }),
      rotate('<key 3>', '{"overlapSeconds":-1}'),
      rotate('<key 3>', '{"overlapSeconds":3155760000}'),
      rotate('<key 4>', '{"overlapSeconds":60}'),
      create('{}', { key: '<psk_live 3>' }),
      patch('/v1/keys/<key 3>', '{"name":"Ü","scopes":["pets:read"],"paused":true}'),
      get('/v1/keys/<key 3>'),
      get('/v1/pets', { key: '<psk_live 3>' }),
      rotate('<key 3>'),
      patch('/v1/keys/<key 3>', '{"name":null,"paused":false}', { waitSeconds: 1 }),
      remove('/v1/keys/<key 3>'),
      patch('/v1/keys/<key 3>', '{"paused":true}'),
      remove('/v1/keys/<key 3>'),
      rotate('<key 3>'),
      get('/v1/pets', { key: '<psk_live 1>', waitSeconds: 86_401 }),
      rotate('key_aA00000000000000'),
      rotate('key_zzzzzzzzzzzzzzzz'),
      remove('/v1/keys/key_zzzzzzzzzzzzzzzz'),
      get('/v1/pets', { key: '<unused>' }),
      get('/v1/keys?limit=100'),
      get('/v1/keys?limit=4&after=<key 2>'),
    ],
  },
  {
    name: 'keys that may not be made, nor be touched',
    steps: [
      create('{}', { key: '<reader>' }),
      create('{"scopes":["pets:write","orders:read"]}', { key: '<manager>' }),
      rotate('key_0000000000000000', '{}', { key: '<manager>' }),
      create('{}', { key: '<crowded 1>' }),
      rotate('key_crowded000000001', '{"overlapSeconds":1}', { key: '<crowded 1>' }),
      rotate('key_crowded000000001', '{"overlapSeconds":0}', { key: '<crowded 2>' }),
      remove('/v1/keys/key_crowded000000002', { key: '<crowded 2>' }),
      create('{}', { key: '<crowded 2>' }),
      ...ODD_IDS.flatMap((id) => [
        get(`/v1/keys/${id}`),
        rotate(id),
        remove(`/v1/keys/${id}`),
        get(`/v1/keys?after=${id}`),
      ]),
      patch('/v1/keys/key_0000000000000000', '{}'),
    ],
  },
];
