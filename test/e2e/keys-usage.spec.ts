import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AdminKeysService, type NewKey } from '../../src/api-keys/index.js';
import { RedisServer } from '../../src/testing/redis-server.js';
import { startApp, type TestApp } from '../support/app.js';
import { databaseUrl } from '../support/databases.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { runKeys } from '../support/service-process.js';
import { until } from '../support/until.js';

interface Shown {
  readonly minute: { readonly remaining: number };
  readonly day: { readonly remaining: number };
  readonly keys: readonly { readonly id: string; readonly strikes: number; readonly bannedUntil?: string }[];
}

interface OverHttp {
  readonly strikes: number;
  readonly bannedUntil?: string;
}

/** A command line beside a service. */
function commandLineOf(service: TestApp, env: Readonly<Record<string, string>> = {}) {
  const run = (...args: string[]) =>
    runKeys(args, { folder: service.folder, env: { ...env, DATABASE_URL: databaseUrl(service.folder) } });
  return {
    run,
    usage: async (account: string): Promise<Shown> => {
      const { code, stdout, stderr } = await run('usage', account, '--json');
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return JSON.parse(stdout) as Shown;
    },
  };
}

/** Two keys of an account, one of which has a name and manages keys. */
async function accountWithKeys(service: TestApp, account: string, terms: Omit<NewKey, 'account'> = { plan: 'pro' }) {
  const create = (options: object) =>
    service.app.get(AdminKeysService).createKey({ account, ...terms, ...options }, 'test');
  return {
    manager: await create({ name: 'ops', scopes: ['keys:manage', 'usage:read', 'pets:read'] }),
    reader: await create({ scopes: ['pets:read'] }),
  };
}

type Keys = Awaited<ReturnType<typeof accountWithKeys>>;

/** What the command should show: getUsage of the account, and getKeyUsage of both keys, which takes from the plan as well. */
async function usageOverHttp(service: TestApp, { manager, reader }: Keys) {
  const get = async (path: string) => (await (await service.request(path, { key: manager.key })).json()) as OverHttp;
  const ofReader = await get(`/v1/keys/${reader.id}/usage`);
  const ofManager = await get(`/v1/keys/${manager.id}/usage`);
  const { strikes: _, bannedUntil: __, ...account } = await get('/v1/usage');
  return {
    ...account,
    keys: [
      { id: manager.id, name: 'ops', ...ofManager },
      { id: reader.id, ...ofReader },
    ],
  };
}

const call = async (service: TestApp, key: string, times: number) => {
  for (let n = 0; n < times; n += 1) await service.request('/v1/pets', { key });
};

describe('keys usage', () => {
  let service: TestApp;
  let commandLine: ReturnType<typeof commandLineOf>;

  beforeAll(async () => {
    service = await startApp();
    commandLine = commandLineOf(service);
  });
  afterAll(() => service.stop());

  it('shows the fields of getUsage and getKeyUsage', async () => {
    const keys = await accountWithKeys(service, 'acme');
    await call(service, keys.reader.key, 3);
    const expected = await usageOverHttp(service, keys);
    // The service writes its counts every second.
    await until(async () => (await commandLine.usage('acme')).day.remaining === 10_000 - 5);
    expect(await commandLine.usage('acme')).toEqual(expected);
  });

  it('shows the full windows of an account without a request', async () => {
    const { reader } = await accountWithKeys(service, 'idle');
    expect(await commandLine.usage('idle')).toMatchObject({
      account: 'idle',
      plan: 'pro',
      minute: { limit: 300, remaining: 300 },
      day: { limit: 10_000, remaining: 10_000 },
      keys: [{ minute: { requests: 0 } }, { id: reader.id, minute: { requests: 0 }, day: { requests: 0 }, strikes: 0 }],
    });
  });

  it('shows strikes and bans, and those of a revoked key too', async () => {
    const terms = { plan: 'enterprise', perMinute: 2, perDay: 100 } as const;
    const { manager, reader } = await accountWithKeys(service, 'busy', terms);
    await call(service, reader.key, 4);
    await call(service, manager.key, 1);
    await service.app.get(AdminKeysService).revoke(reader.id, 'test');
    await until(async () => (await commandLine.usage('busy')).keys.some(({ strikes }) => strikes > 0));
    const { minute, keys } = await commandLine.usage('busy');
    expect([minute.remaining, keys]).toMatchObject([
      0,
      [{ strikes: 1 }, { id: reader.id, bannedUntil: expect.stringMatching(/Z$/) }],
    ]);
  });

  it('prints a table for people', async () => {
    const { manager } = await accountWithKeys(service, 'people');
    const { code, stdout } = await commandLine.run('usage', 'people');
    expect({ code, lines: stdout.split('\n') }).toEqual({
      code: 0,
      lines: expect.arrayContaining([
        'Account: people, plan pro',
        expect.stringMatching(/^Minute: {2}300 of 300 requests left, resets \S+Z$/),
        expect.stringMatching(/^Day: {5}10000 of 10000 requests left, resets \S+T00:00:00Z$/),
        expect.stringMatching(/^ID +NAME +MINUTE +DAY +STRIKES +BANNED UNTIL$/),
        expect.stringMatching(new RegExp(`^${manager.id} +ops +0 +0 +0 +-$`)),
      ]),
    });
  });

  it('fails for an account that does not exist', async () => {
    const { code, stdout, stderr } = await commandLine.run('usage', 'nobody');
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: 'There is no account named "nobody".\n' });
  });
});

describeWithRedis('keys usage with Redis', () => {
  let server: RedisServer;
  let service: TestApp;

  beforeAll(async () => {
    server = await RedisServer.start();
    service = await startApp({ env: server.env });
  });
  afterAll(async () => {
    await service.stop();
    await server.stop();
  });

  it('reads the counts of Redis at once, and fails while Redis is away', async () => {
    const keys = await accountWithKeys(service, 'acme');
    await call(service, keys.reader.key, 3);
    const expected = await usageOverHttp(service, keys);
    const commandLine = commandLineOf(service, server.env);
    expect(await commandLine.usage('acme')).toEqual(expected);
    await server.kill();
    const { code, stdout, stderr } = await commandLine.run('usage', 'acme');
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^Redis, which has the counts, cannot be read: .*ECONNREFUSED.*\n$/),
    });
  });
});
