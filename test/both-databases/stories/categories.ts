import { get, patch, post, type Story } from '../step.js';
import { NUMBERS, SORTED_APART, TEXTS, WRITTEN } from './values.js';

const add = (name: string, id?: string) =>
  post('/v1/categories', `{"name":${name}${id === undefined ? '' : `,"id":${id}`}}`);

const all = [get('/v1/categories?limit=100'), get('/v1/categories')];

export const CATEGORIES: readonly Story[] = [
  {
    name: 'categories that begin empty',
    steps: [...all, get('/v1/categories/1'), add('"Dogs"'), add('"Dogs"'), ...all],
  },
  {
    name: 'category names of every kind',
    steps: [
      ...TEXTS.flatMap((text) => [add(text), patch('/v1/categories/1', `{"name":${text}}`)]),
      ...SORTED_APART.map((name) => add(JSON.stringify(name))),
      ...all,
    ],
  },
  {
    name: 'category identifiers of every kind',
    steps: [
      ...NUMBERS.flatMap((number) => [add('"x"', number), add('"again"', number)]),
      ...WRITTEN.flatMap((text) => [
        get(`/v1/categories/${text}`),
        patch(`/v1/categories/${text}`, '{"name":"y"}'),
        get(`/v1/categories?after=${text}&limit=2`),
      ]),
      ...all,
    ],
  },
  {
    name: 'pages of categories',
    steps: [1, 2, 5, 99, 100, 101].flatMap((limit) => [
      get(`/v1/categories?limit=${limit}`),
      get(`/v1/categories?limit=${limit}&after=-9223372036854775808`),
    ]),
  },
  {
    name: 'conditions on categories',
    steps: [
      get('/v1/categories/1'),
      get('/v1/categories/1', { headers: { 'If-None-Match': '"<etag>"' } }),
      patch('/v1/categories/1', '{"name":"Hounds"}', { headers: { 'If-Match': '"<etag>"' } }),
      patch('/v1/categories/1', '{"name":"Cats"}', { headers: { 'If-Match': '"x"' } }),
      patch('/v1/categories/1', '{}'),
      patch('/v1/categories/1', '{"name":null}'),
      get('/v1/categories?limit=1'),
      get('/v1/categories?limit=1', { headers: { 'If-None-Match': '"<etag>"' } }),
    ],
  },
];
