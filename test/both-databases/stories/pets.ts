import { get, patch, post, remove, type Story } from '../step.js';
import { NUMBERS, SORTED_APART, TEXTS, WRITTEN } from './values.js';

const STATUSES = [
  '"available"',
  '"pending"',
  '"sold"',
  'null',
  '"Available"',
  '"__proto__"',
  '"toString"',
  '""',
  '1',
  '[]',
];

const add = (name: string, categoryId = '1', status?: string) =>
  post('/v1/pets', `{"name":${name},"categoryId":${categoryId}${status === undefined ? '' : `,"status":${status}`}}`);

const all = ['', '?limit=100', '?status=available', '?status=pending&limit=100', '?status=sold'].map((query) =>
  get(`/v1/pets${query}`),
);

export const PETS: readonly Story[] = [
  {
    name: 'a catalogue that begins empty',
    steps: [
      ...all,
      get('/v1/pets/1'),
      add('"Bella"'),
      ...all,
      get('/v1/pets/1'),
      get('/v1/pets?after=1'),
      get('/v1/pets?limit=1'),
    ],
  },
  {
    name: 'names of every kind, added and given',
    steps: [
      ...TEXTS.flatMap((text) => [add(text), patch('/v1/pets/1', `{"name":${text}}`)]),
      ...all,
      get('/v1/pets/1'),
    ],
  },
  {
    name: 'numbers of every kind as category',
    steps: [
      ...NUMBERS.flatMap((number) => [add('"x"', number), patch('/v1/pets/1', `{"categoryId":${number}}`)]),
      ...all,
      get('/v1/pets/1'),
    ],
  },
  {
    name: 'statuses of every kind',
    steps: [
      ...STATUSES.flatMap((status) => [add('"x"', '2', status), patch('/v1/pets/2', `{"status":${status}}`)]),
      ...all,
    ],
  },
  {
    name: 'identifiers of every kind in the path and in the query',
    steps: WRITTEN.flatMap((text) => [
      get(`/v1/pets/${text}`),
      patch(`/v1/pets/${text}`, '{}'),
      get(`/v1/pets?after=${text}&limit=2`),
      get(`/v1/pets?limit=${text}`),
    ]),
  },
  {
    name: 'pages up to the last one, and beyond, while pets are removed',
    steps: [
      ...SORTED_APART.map((name) => add(JSON.stringify(name), '7', '"pending"')),
      ...[1, 2, 3, 13, 14, 15, 100].flatMap((limit) => [
        get(`/v1/pets?status=pending&limit=${limit}`),
        get(`/v1/pets?limit=${limit}&after=20`),
      ]),
      get('/v1/pets?limit=100&status=pending', { method: 'HEAD' }),
      remove('/v1/pets/3'),
      remove('/v1/pets/3'),
      get('/v1/pets/3'),
      get('/v1/pets?after=2&limit=1'),
      get('/v1/pets?after=3&limit=1'),
      get('/v1/pets?after=9007199254740991'),
      add('"the next"'),
      get('/v1/pets?after=60&limit=1'),
    ],
  },
  {
    name: 'conditions',
    steps: [
      get('/v1/pets/4'),
      ...['"<etag>"', 'W/"<etag>"', '"x", "<etag>"', '*', '"x"', 'x', ''].flatMap((tag) => [
        get('/v1/pets/4', { headers: { 'If-None-Match': tag } }),
        get('/v1/pets/4', { method: 'HEAD', headers: { 'If-None-Match': tag } }),
        patch('/v1/pets/4', '{"name":"Nala"}', { headers: { 'If-Match': tag } }),
        get('/v1/pets/4'),
        patch('/v1/pets/4', '{"name":"Milo"}', { headers: { 'If-None-Match': tag } }),
      ]),
      get('/v1/pets?limit=2'),
      get('/v1/pets?limit=2', { headers: { 'If-None-Match': '"<etag>"' } }),
      remove('/v1/pets/4', { headers: { 'If-Match': '"x"' } }),
      get('/v1/pets/4'),
      remove('/v1/pets/4', { headers: { 'If-Match': '"<etag>"' } }),
      remove('/v1/pets/4', { headers: { 'If-Match': '"<etag>"' } }),
    ],
  },
];
