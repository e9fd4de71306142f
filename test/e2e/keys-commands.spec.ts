// @postgres: commands run statements that no request does.
import { text as textOf } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import type { KeysCommand } from '../../src/accounts/cli/keys-command.js';
import { keysProgram } from '../../src/accounts/cli/keys-program.js';
import { generateApiKey } from '../../src/auth/keys/api-key-format.js';
import { Account } from '../../src/auth/keys/account.entity.js';
import { DEFAULT_SCOPES } from '../../src/auth/keys/scopes.js';
import { servicesOf } from '../../src/programs/on-database.js';
import { authForEachTest } from '../support/auth-service.js';

/** An account whose keys were all deleted. */
const EMPTY = { name: 'empty', plan: 'free', createdAt: 0 } as const;

const { bench, service } = authForEachTest();

/** Parses a command line of `keys`, such as `revoke key_0123456789abcdef`. */
function parse(line: string): KeysCommand {
  const commands: KeysCommand[] = [];
  keysProgram(
    (command) => commands.push(command),
    () => undefined,
  ).parse(line.split(' '), { from: 'user' });
  const [command] = commands;
  if (command === undefined) throw new TypeError(`${line} is no command.`);
  return command;
}

async function run(line: string) {
  const services = { ...servicesOf(service.context), readLine: () => Promise.resolve('') };
  const { text, changed } = await parse(line).run(services);
  return { text: typeof text === 'string' ? text : await textOf(text), changed };
}

/** Creates a key of the account acme, on the plan Pro. */
async function create(options = '') {
  const { text } = await run(`create --account acme --plan pro --json${options}`);
  return JSON.parse(text) as { id: string; key: string };
}

describe('the keys commands', () => {
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
    expect((await run('create --account acme --name another')).text).toMatch(
      /psk_live_\w{36}\n.*It is not shown again\.\n[^]*Expires: never/,
    );
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
    for (const options of ['--plan enterprise', '--per-minute 5 --per-day 50'])
      expect((await run(`create --account big ${options}`)).text).toContain('plan enterprise');
    await expect(run('create --account big --per-minute 6 --per-day 50')).rejects.toThrow('(5 a minute, 50 a day)');
  });

  it('create needs the plan of a new account, and creates no database without one', async () => {
    await expect(run('create --account new')).rejects.toThrow('no account named "new". A new one needs a plan');
    expect(parse('create --account new')).toHaveProperty('createsDatabase', false);
    expect(parse('create --account new --plan pro')).toHaveProperty('createsDatabase', true);
  });

  it('audit refuses an account that does not exist', async () => {
    await create();
    await expect(run('audit nobody')).rejects.toThrow('no account named "nobody"');
    expect((await run('audit acme')).text).toContain('key.created');
  });

  it('refuse a number that is the name of an account and the identifier of another, and say what to use', async () => {
    await create();
    await run('create --account 1 --plan free');
    for (const command of ['plan 1 free', 'audit 1', 'list --account 1'])
      await expect(run(command)).rejects.toThrow('Use the name "acme" or the identifier 2.');
    expect((await run('plan 2 business')).text).toContain('2 is on the plan business');
    expect((await run('audit acme')).text).not.toContain('account.plan_changed');
  });

  it('scopes prints the new scopes of a key', async () => {
    const { id, key } = await create(' --scopes pets:read');
    const changed = { text: `${id} has the scopes pets:write pets:read.`, changed: true };
    expect(await run(`scopes ${id} pets:write,pets:read`)).toEqual(changed);
    const { text } = await run(`scopes ${id} orders:read --json`);
    expect(text).not.toContain('\n');
    const [listed] = JSON.parse((await run('list --json')).text) as object[];
    expect(JSON.parse(text)).toEqual(listed);
    expect(await service.verifier.verify(key)).toHaveProperty('scopes', new Set(['orders:read']));
  });

  it('revoke, unban and plan print what they did and when running services notice it', async () => {
    const { id } = await create();
    expect(await run(`unban ${id}`)).toEqual({ text: `${id} is no longer banned.`, changed: true });
    const planned = 'acme is on the plan business: 1000 requests a minute, 100000 a day.';
    expect(await run('plan acme business')).toEqual({ text: planned, changed: true });
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

  it('accounts lists accounts with their limits, active keys and last use', async () => {
    const { id, key } = await create();
    await create(' --expires-in 1s');
    const paused = await create();
    await run(`pause ${paused.id}`);
    await run(`revoke ${(await create()).id}`);
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
        id: 1,
        account: 'acme',
        plan: 'pro',
        perMinute: 300,
        perDay: 10_000,
        activeKeys: 3,
        lastUsedAt: '2026-11-21T12:00:01.000Z',
      },
      { id: 2, account: 'zoo', plan: 'enterprise', perMinute: 6, perDay: 60, activeKeys: 1 },
      { id: 3, account: 'empty', plan: 'free', perMinute: 60, perDay: 1_000, activeKeys: 0 },
    ]);
    expect(changed).toBe(false);
    expect((await run('limits acme --per-minute 900 --until 2026-11-22')).text).toBe(
      'acme: 900 requests a minute, 10000 a day, until 2026-11-22T00:00:00.000Z.',
    );
    expect(await run('suspend 1 --reason fraud')).toEqual({ text: 'acme is suspended.', changed: true });
    expect((await run('accounts')).text.split('\n')).toEqual([
      'ACCOUNT  PLAN        PER MINUTE  PER DAY  UNTIL       ACTIVE KEYS  STATE      LAST USED',
      'acme     pro         900         10000    2026-11-22  3            suspended  2026-11-21',
      'zoo      enterprise  6           60       -           1            active     -',
      'empty    free        60          1000     -           0            active     -',
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

  it('find shows the key with a text, and list the keys of an account, by its name or identifier', async () => {
    const { id, key } = await create();
    await run('create --account zoo --plan free');
    await run('suspend acme --reason fraud');
    expect((await run(`find ${key}`)).text).toBe((await run(`show ${id}`)).text);
    expect((await run(`find ${key}`)).text).toMatch(/^state: +suspended$/m);
    await expect(run(`find ${generateApiKey('live')}`)).rejects.toThrow('No API key has this text');
    await expect(run(`find ${generateApiKey('test')}`)).rejects.toThrow('It is for the staging environment');
    for (const account of ['acme', '1'])
      expect(JSON.parse((await run(`list --json --account ${account}`)).text)).toMatchObject([{ id, account: 'acme' }]);
    await expect(run('list --account 99')).rejects.toThrow('no account named "99"');
    expect((await run('resume acme')).text).toBe('acme is resumed.');
    expect((await run('list --account acme')).text).toMatch(/ active /);
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
