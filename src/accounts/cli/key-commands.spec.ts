// @postgres: commands run statements that no request does.
import { describe, expect, it } from '@jest/globals';
import { keysForEachTest } from '../../../test/support/keys-commands.js';
import { Account } from '../../auth/keys/account.entity.js';

/** An account whose keys were all deleted. */
const EMPTY = { name: 'empty', plan: 'free', createdAt: 0 } as const;

describe('the commands for accounts and for one key', () => {
  const { bench, service, run, create } = keysForEachTest();

  it('accounts lists accounts with their limits, active keys and last use', async () => {
    const { id, key } = await create();
    await create(' --expires-in 1s');
    const paused = await create();
    await run(`pause ${paused.id}`);
    await run(`rotate ${id} --overlap 1h`);
    await run('create --account zoo --plan enterprise --per-minute 5 --per-day 50');
    await run('plan zoo enterprise --per-minute 6 --per-day 60');
    await service.database.write((manager) => manager.insert(Account, EMPTY));
    bench.clock.advanceMs(1_000);
    await service.verifier.verify(key);
    await service.lastUse.flush();
    const { text, changed } = await run('accounts --json');
    expect(JSON.parse(text)).toEqual([
      {
        account: 'acme',
        plan: 'pro',
        perMinute: 300,
        perDay: 10_000,
        activeKeys: 3,
        lastUsedAt: '2026-11-21T12:00:01.000Z',
      },
      { account: 'zoo', plan: 'enterprise', perMinute: 6, perDay: 60, activeKeys: 1 },
      { account: 'empty', plan: 'free', perMinute: 60, perDay: 1_000, activeKeys: 0 },
    ]);
    expect(changed).toBe(false);
    expect((await run('accounts')).text.split('\n')).toEqual([
      'ACCOUNT  PLAN        PER MINUTE  PER DAY  ACTIVE KEYS  LAST USED',
      'acme     pro         300         10000    3            2026-11-21T12:00:01Z',
      'zoo      enterprise  6           60       1            -',
      'empty    free        60          1000     0            -',
    ]);
  });

  it('show prints everything about a key, one field a line', async () => {
    const { id, key } = await create(' --name ci --scopes pets:read,orders:read');
    const successor = JSON.parse((await run(`rotate ${id} --json`)).text) as { id: string };
    const { text, changed } = await run(`show ${id}`);
    expect(text.split('\n')).toEqual([
      `id:         ${id}`,
      'name:       ci',
      `masked:     psk_live_${key.slice(9, 13)}…${key.slice(-4)}`,
      'account:    acme',
      'plan:       pro',
      'scopes:     pets:read orders:read',
      'createdAt:  2026-11-21T12:00:00.000Z',
      'expiresAt:  2026-11-22T12:00:00.000Z',
      `successor:  ${successor.id}`,
      'state:      active',
    ]);
    expect(changed).toBe(false);
    const [listed] = JSON.parse((await run('list --json')).text) as { id: string }[];
    const programs = await run(`show ${listed?.id} --json`);
    expect(JSON.parse(programs.text)).toMatchObject({ ...listed });
    await expect(run('show key_0')).rejects.toHaveProperty('code', 'api_key_not_found');
  });

  it('rename gives a key another name, or none', async () => {
    const { id } = await create();
    expect(await run(`rename ${id} ci`)).toEqual({ text: `${id} is named ci.`, changed: true });
    expect((await run(`show ${id}`)).text).toMatch(/^name: +ci$/m);
    expect(await run(`rename ${id} `)).toEqual({ text: `${id} has no name.`, changed: true });
    expect((await run(`show ${id}`)).text).not.toMatch(/^name:/m);
  });

  it('pause and resume a key any number of times', async () => {
    const { id, key } = await create();
    for (const pause of [1, 2]) {
      bench.clock.advanceMs(pause);
      expect(await run(`pause ${id}`)).toEqual({ text: `${id} is paused.`, changed: true });
    }
    expect(await service.verifier.verify(key)).toHaveProperty('code', 'api_key_paused');
    expect((await run(`show ${id}`)).text).toMatch(/^pausedAt: +2026-11-21T12:00:00\.001Z\n(.*\n)*state: +paused$/m);
    expect((await run('list')).text).toMatch(/ paused /);
    await expect(run(`rotate ${id}`)).rejects.toThrow('is paused. Resume it first');
    for (const _ of [1, 2]) expect(await run(`resume ${id}`)).toEqual({ text: `${id} is not paused.`, changed: true });
    expect(await service.verifier.verify(key)).toHaveProperty('keyId', id);
    const actions = (await service.audited()).map(({ action }) => action);
    expect(actions).toEqual(['account.created', 'key.created', 'key.paused', 'key.resumed']);
  });

  it('rotate prints the successor', async () => {
    const { id, key } = await create();
    const human = await run(`rotate ${id} --overlap 1h`);
    expect(human.text).toContain(`${id} works until 2026-11-21T13:00:00Z`);
    const { text, changed } = await run(`rotate ${id} --json`);
    const next = JSON.parse(text) as { key: string };
    expect(next.key).not.toBe(key);
    expect(await service.verifier.verify(next.key)).toHaveProperty('account', 'acme');
    expect(changed).toBe(true);
  });
});
