import { describe, expect, it } from '@jest/globals';
import { keysForEachTest, parseKeysCommand } from '../../../test/support/keys-commands.js';
import { DEFAULT_SCOPES } from '../../auth/keys/scopes.js';

describe('the keys commands', () => {
  const { bench, service, run, create } = keysForEachTest();

  it('create --json prints one line with the key and its properties', async () => {
    const { text } = await run('create --account acme --plan pro --name ci --expires-in 1h --json');
    expect(text).not.toContain('\n');
    expect(JSON.parse(text)).toEqual({
      id: expect.stringMatching(/^key_/),
      name: 'ci',
      key: expect.stringMatching(/^psk_live_/),
      masked: expect.stringMatching(/^psk_live_.{4}….{4}$/),
      account: 'acme',
      plan: 'pro',
      scopes: [...DEFAULT_SCOPES],
      createdAt: '2026-11-21T12:00:00.000Z',
      expiresAt: '2026-11-21T13:00:00.000Z',
    });
  });

  it('create accepts all options, each in two forms, and the last value of a repeated one', async () => {
    const { text } = await run(
      'create --account=acme --plan free --plan enterprise --per-minute 500 --per-day=9000 --scopes pets:read,orders:read --expires-in 90d --json',
    );
    const { key, ...rest } = JSON.parse(text) as { key: string };
    expect(rest).toMatchObject({ scopes: ['pets:read', 'orders:read'], expiresAt: '2027-02-19T12:00:00.000Z' });
    expect(await service.verifier.verify(key)).toHaveProperty('limits', { perMinute: 500, perDay: 9_000 });
  });

  it('create prints a working key', async () => {
    const { text } = await run('create --account acme --plan pro');
    const key = /psk_live_\w+/.exec(text)?.[0] ?? '';
    expect(await service.verifier.verify(key)).toHaveProperty('account', 'acme');
    expect(text).toContain('Account: acme, plan pro');
    expect(text).toContain('Expires: never');
  });

  it('create and scopes accept a scope of another module if told so', async () => {
    const { text } = await run('create --account acme --plan pro --allow-unknown-scope --scopes reports:run --json');
    const { id, scopes } = JSON.parse(text) as { id: string; scopes: string[] };
    expect(scopes).toEqual(['reports:run']);
    const changed = await run(`scopes ${id} pets:read,reports:write --allow-unknown-scope`);
    expect(changed.text).toBe(`${id} has the scopes pets:read reports:write.`);
  });

  it('create needs no plan of an account that exists, and never changes it', async () => {
    await run('create --account acme --plan pro');
    for (const options of ['', ' --plan pro'])
      expect((await run(`create --account acme${options}`)).text).toContain('Account: acme, plan pro');
    const other = run('create --account acme --plan free');
    await expect(other).rejects.toThrow('exists on the plan pro. Omit the plan, or change it with "keys plan".');
    await run('create --account big --plan enterprise --per-minute 5 --per-day 50');
    expect((await run('create --account big --per-minute 5 --per-day 50')).text).toContain('plan enterprise');
    await expect(run('create --account big --per-minute 6 --per-day 50')).rejects.toThrow('(5 a minute, 50 a day)');
  });

  it('create needs the plan of a new account, and creates no database without one', async () => {
    await expect(run('create --account new')).rejects.toThrow('no account named "new". A new one needs a plan');
    expect(parseKeysCommand('create --account new')).toHaveProperty('createsDatabase', false);
    expect(parseKeysCommand('create --account new --plan pro')).toHaveProperty('createsDatabase', true);
  });

  it('audit refuses an account that does not exist', async () => {
    await create();
    await expect(run('audit nobody')).rejects.toThrow('no account named "nobody"');
    expect((await run('audit acme')).text).toContain('key.created');
  });

  it('list prints aligned columns without secrets', async () => {
    const { id, key } = await create();
    await run('create --account a-longer-name --plan business');
    const { text, changed } = await run('list');
    const [head = '', ...rows] = text.split('\n');
    expect(rows).toHaveLength(2);
    const line = rows.find((row) => row.startsWith(id)) ?? '';
    expect(line.indexOf('acme')).toBe(head.indexOf('ACCOUNT'));
    expect(line.indexOf('active')).toBe(head.indexOf('STATE'));
    expect(line).toContain(`${key.slice(9, 13)}…${key.slice(-4)}`);
    expect(text).not.toContain(key);
    expect(changed).toBe(false);
  });

  it('list --json prints one line', async () => {
    const { id } = await create();
    await run(`revoke ${id}`);
    const { text } = await run('list --json');
    const [listed] = JSON.parse(text) as object[];
    expect(listed).toMatchObject({ id, revokedAt: '2026-11-21T12:00:00.000Z' });
    expect(listed).not.toHaveProperty('lastUsedAt');
    expect(text).not.toContain('\n');
  });

  it('scopes prints the new scopes of a key', async () => {
    const { id, key } = await create(' --scopes pets:read');
    expect(await run(`scopes ${id} pets:write,pets:read`)).toEqual({
      text: `${id} has the scopes pets:write pets:read.`,
      changed: true,
    });
    const { text } = await run(`scopes ${id} orders:read --json`);
    expect(text).not.toContain('\n');
    const [listed] = JSON.parse((await run('list --json')).text) as object[];
    expect(JSON.parse(text)).toEqual(listed);
    expect(await service.verifier.verify(key)).toHaveProperty('scopes', new Set(['orders:read']));
  });

  it('revoke, unban and plan print what they did and when running services notice it', async () => {
    const { id } = await create();
    expect(await run(`unban ${id}`)).toEqual({ text: `${id} is no longer banned.`, changed: true });
    expect(await run('plan acme business')).toEqual({
      text: 'acme is on the plan business: 1000 requests a minute, 100000 a day.',
      changed: true,
    });
    expect(await run(`revoke ${id}`)).toEqual({ text: `Revoked ${id}.`, changed: true });
    expect(await run(`revoke ${id}`)).toHaveProperty('text', `${id} is already revoked.`);
  });

  it.each([
    ['30s', 30_000],
    ['15m', 900_000],
    ['24h', 86_400_000],
    ['90d', 7_776_000_000],
    ['12w', 7_257_600_000],
  ])('rotate reads the overlap %s', async (overlap, overlapMs) => {
    const { id } = await create();
    const { text } = await run(`rotate --overlap ${overlap} ${id} --json`);
    const expiresAt = new Date(bench.clock.nowMs() + overlapMs).toISOString();
    expect(JSON.parse(text)).toMatchObject({ replaces: id, replacedExpiresAt: expiresAt });
  });

  it('rotate has an overlap of a day by default', async () => {
    const { id } = await create();
    const { text } = await run(`rotate ${id} --json`);
    expect(JSON.parse(text)).toHaveProperty('replacedExpiresAt', '2026-11-22T12:00:00.000Z');
  });
});
