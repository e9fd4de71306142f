import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DEFAULT_SCOPES } from '../../src/auth/keys/scopes.js';
import { RedisClient } from '../../src/index.js';
import { FakeClock, startApp, type TestApp, trio } from '../support/app.js';
import { makeFolder, queryDatabase } from '../support/databases.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { concurrently } from '../support/http.js';
import { codeOf } from '../support/keys-api.js';
import { RedisCluster } from '../support/servers/redis-cluster.js';
import { AMPLE } from '../support/temporary.js';
import { until } from '../support/until.js';

const LIMIT = 100;
const LIMITED = { plan: 'enterprise', perMinute: LIMIT, perDay: 1_000_000 } as const;
const EXACT = { places: Array.from({ length: LIMIT }, (_, index) => LIMIT - 1 - index), statuses: new Set([429]) };

const services: TestApp[] = [];
let cluster: RedisCluster;

function service(index: number): TestApp {
  const found = services[index % services.length];
  if (found === undefined) throw new Error('No instance was started.');
  return found;
}

const ask = (index: number, key: string) => service(index).request('/v1/pets?limit=1', { key });

/** Uses a key on both instances at once. Returns the places of what was admitted, and the statuses of the rest. */
async function flood(key: string) {
  const requests = Array.from({ length: LIMIT + 20 }, (_, index) => () => ask(index, key));
  const responses = await concurrently(requests, 20);
  const places = responses.filter(({ ok }) => ok).map((response) => Number(trio(response).remaining));
  const statuses = new Set(responses.filter(({ ok }) => !ok).map(({ status }) => status));
  return { places: places.toSorted((a, b) => b - a), statuses };
}

async function redisKeyOf(keyId: string): Promise<string> {
  const query = `SELECT "account_id" AS "id" FROM "api_keys" WHERE "id" = '${keyId}'`;
  const [account] = await queryDatabase<{ id: number }>(service(0).folder, query);
  return `${service(0).app.get(RedisClient).prefix}{account:${account?.id}}:usage`;
}

/** Keys of accounts: one whose counters are on the server of a key in Redis, and one on another. */
async function accountsAt(redisKey: string): Promise<{ readonly near: string; readonly far: string }> {
  const server = await cluster.masterOf(redisKey);
  const found: { near?: string; far?: string } = {};
  while (found.near === undefined || found.far === undefined) {
    const { id, key } = await service(0).createKey(LIMITED);
    const place = (await cluster.masterOf(await redisKeyOf(id))) === server ? 'near' : 'far';
    found[place] ??= key;
  }
  return { near: found.near, far: found.far };
}

const areWhole = () =>
  until(async () => {
    const reports = await Promise.all(services.map(async (one) => (await one.request('/health/ready')).json()));
    return reports.every((report) => (report as { redis: string }).redis === 'up');
  });

describeWithRedis('instances that share a Redis Cluster', () => {
  beforeAll(async () => {
    cluster = await RedisCluster.start();
    const [folder, clock] = [makeFolder(), new FakeClock(Date.now())];
    while (services.length < 2) services.push(await startApp({ folder, clock, env: cluster.env }));
  });
  afterAll(async () => {
    for (const one of services) await one.stop();
    await cluster.stop();
  });

  it('admit exactly the limits of all accounts', async () => {
    const keys = await Promise.all(Array.from({ length: 6 }, () => service(0).key(LIMITED)));
    expect(await Promise.all(keys.map(flood))).toEqual(keys.map(() => EXACT));
  });

  it('obey the revocation of a key at once', async () => {
    const manager = await service(0).key({ ...AMPLE, account: 'keys', scopes: [...DEFAULT_SCOPES, 'keys:manage'] });
    for (let round = 0; round < 10; round += 1) {
      const revoked = await service(0).createKey({ ...AMPLE, account: 'keys' });
      expect(await codeOf(service(1), revoked.key)).toBe('ok');
      const deletion = await service(0).request(`/v1/keys/${revoked.id}`, { key: manager, method: 'DELETE' });
      expect(deletion.status).toBe(204);
      expect(await codeOf(service(1), revoked.key)).toBe('api_key_revoked');
    }
  });

  it('count the accounts of a server that is killed locally, all others in Redis, and all of them after the failover', async () => {
    const { prefix } = service(0).app.get(RedisClient);
    const lost = `${prefix}{account:1}:usage`;
    const { near, far } = await accountsAt(lost);
    const killed = await cluster.kill(lost);
    for (let n = 1; n <= 40; n += 1) {
      expect((await ask(n, near)).status).toBe(200);
      expect(trio(await ask(n, far)).remaining).toBe(LIMIT - n);
    }
    await cluster.failover(killed, lost);
    await areWhole();
    await cluster.rejoin(killed);
    expect(
      await Promise.all([service(0).key(LIMITED), service(0).key(LIMITED)].map(async (key) => flood(await key))),
    ).toEqual([EXACT, EXACT]);
    const after = await accountsAt(lost);
    expect([await flood(after.near), await flood(after.far)]).toEqual([EXACT, EXACT]);
  });
});
