import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operationsOf } from '../openapi/document.js';
import { makeHostile } from './hostile-defaults.js';
import type { Story } from './step.js';
import { CATEGORIES } from './stories/categories.js';
import { KEYS } from './stories/keys.js';
import { LIMITS } from './stories/limits.js';
import { ORDERS } from './stories/orders.js';
import { PETS } from './stories/pets.js';
import { AWAY, REFUSALS, SEED } from './stories/refusals.js';
import { REPEATS } from './stories/repeats.js';
import { type Exchange, Twins } from './twins.js';

const RECORDING: Readonly<Record<string, readonly Story[]>> = {
  pets: PETS,
  categories: CATEGORIES,
  orders: ORDERS,
  keys: KEYS,
  repeats: REPEATS,
  limits: LIMITS,
  refusals: REFUSALS,
};

/** Operations whose identifiers and secrets differ, so specs of their own run on both databases. */
const ELSEWHERE = /^\/(?:events|webhooks)\b/;

let twins: Twins;
const told: Exchange[] = [];

function apart(exchanges: readonly Exchange[]) {
  told.push(...exchanges);
  return {
    sqlite: exchanges.map(({ step, sqlite }) => ({ step, response: sqlite })),
    postgres: exchanges.map(({ step, postgres }) => ({ step, response: postgres })),
  };
}

describe.each(Object.entries(RECORDING).map(([name, stories]) => ({ name, stories })))(
  'SQLite and PostgreSQL with hostile defaults return the same responses, byte for byte: $name',
  ({ stories }) => {
    beforeAll(async () => {
      twins = await Twins.start(makeHostile);
    });
    afterAll(() => twins?.stop());

    it.each(stories.map(({ name, steps }) => [name, steps] as const))('%s', async (_name, steps) => {
      const { sqlite, postgres } = apart(await twins.tell(steps));
      expect(postgres).toEqual(sqlite);
    });
  },
);

describe('SQLite and PostgreSQL', () => {
  beforeAll(async () => {
    twins = await Twins.start();
  });
  afterAll(() => twins?.stop());

  it('return the same responses while they are unavailable, and when they are back', async () => {
    await twins.tell(SEED.steps);
    const away = apart(await twins.withoutDatabases(() => twins.tell(AWAY)));
    expect(away.postgres).toEqual(away.sqlite);
    expect(away.sqlite.filter(({ response }) => response.status !== 503).map(({ step }) => step.path)).toEqual([
      '/v1/usage',
      '/v1/nothing',
      '/health/live',
    ]);
    const back = apart(await twins.tell(AWAY));
    expect(back.postgres).toEqual(back.sqlite);
  });

  it('have been compared for every operation', async () => {
    const succeeded = told
      .filter(({ sqlite }) => sqlite.status < 300)
      .map(({ step: { method = 'GET', path } }) => `${method} ${path.replace(/\?.*/, '')}`);
    const operations = operationsOf(await twins.document()).filter(({ path }) => !ELSEWHERE.test(path));
    const missed = operations.filter(({ method, path }) => {
      const pattern = new RegExp(`^${method.toUpperCase()} /v1${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
      return !succeeded.some((request) => pattern.test(request));
    });
    expect(missed.map(({ operation }) => operation.operationId)).toEqual([]);
  });
});
