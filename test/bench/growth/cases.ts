import type { Ask } from '../harness/ask.js';
import type { Case } from '../harness/cases.js';
import { shuffled } from '../harness/random.js';

const PAGE = 20;
/** More pages than the cache holds. */
const DIFFERENT_PAGES = 50_000;
/** The same number of distinct pets for every catalogue size, so that the cache holds the same share of them. */
const DIFFERENT_PETS = 1_000;

/** Requests whose cost must not depend on the size of the catalogue. */
export function growthCases(key: string, pets: number): Case[] {
  const headers = { authorization: `Bearer ${key}` };
  const ask = (path: string): Ask => ({ method: 'GET', path: `/v1/pets${path}`, headers });
  const create: Ask = {
    method: 'POST',
    path: '/v1/pets',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Bella', categoryId: 3 }),
  };
  const spread = (count: number, index: number) => Math.floor((index * (pets - PAGE)) / count) + 1;
  const distinct = shuffled(Array.from({ length: DIFFERENT_PAGES }, (_, index) => index));
  // If there are fewer pets than pages, pages that start at the same pet use different limits.
  const pages = distinct.map((index) => ask(`?limit=${PAGE + (index % 64)}&after=${spread(DIFFERENT_PAGES, index)}`));
  const singles = shuffled(
    Array.from({ length: DIFFERENT_PETS }, (_, index) => ask(`/${spread(DIFFERENT_PETS, index)}`)),
  );
  return [
    named('first page', [ask('?status=available')]),
    named('deepest page', [ask(`?status=available&after=${pets - 8 * PAGE}`)]),
    named('pages that are not in memory', pages),
    named('get of 1,000 pets', singles),
    named('create', [create]),
  ];
}

function named(name: string, deck: readonly Ask[]): Case {
  return { name, title: name, deck, expect: 'success', constant: false };
}
