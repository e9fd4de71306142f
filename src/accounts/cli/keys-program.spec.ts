import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AuthBench, type AuthInstance } from '../../../test/support/auth-service.js';
import { keysProgram, type Operation } from './keys-program.js';
import { DEFAULT_SCOPES } from '../keys/scopes.js';

function parse(line: string): Operation {
  const operations: Operation[] = [];
  keysProgram((operation) => operations.push(operation)).parse(line.split(' '), { from: 'user' });
  const [operation] = operations;
  if (operation === undefined) throw new TypeError(`${line} is no command.`);
  return operation;
}

describe('the keys commands', () => {
  let bench: AuthBench;
  let service: AuthInstance;

  beforeEach(async () => {
    bench = new AuthBench();
    service = await bench.open();
  });

  afterEach(() => bench.remove());

  const run = async (line: string) => {
    const { text, ...outcome } = await parse(line).run(service.keys, 'cli:spec');
    const pieces: string[] = [];
    for await (const piece of Readable.from(text)) pieces.push(String(piece));
    return { ...outcome, text: pieces.join('') };
  };
  const create = async (options = '') => {
    const { text } = await run(`create --account acme --plan pro --json${options}`);
    return JSON.parse(text) as { id: string; key: string };
  };

  it('create --json prints one line with the key and its properties', async () => {
    const { text, warning } = await run('create --account acme --plan pro --name ci --expires-in 1h --json');
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
    expect(warning).toBeUndefined();
  });

  it('create accepts all options, each in two forms', async () => {
    const { text } = await run(
      'create --account=acme --plan enterprise --per-minute 500 --per-day=9000 --scopes pets:read,orders:read --expires-in 90d --json',
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

  it('create accepts a scope of another module with a warning', async () => {
    const { text, warning } = await run('create --account acme --plan pro --scopes pets:read,reports:run --json');
    expect(JSON.parse(text)).toHaveProperty('scopes', ['pets:read', 'reports:run']);
    expect(warning).toMatch(/: reports:run$/);
  });

  it('list prints aligned columns without secrets', async () => {
    const { id, key } = await create();
    await run('create --account a-longer-name --plan business');
    const { text, changed } = await run('list');
    const [head = '', ...rows] = text.split('\n');
    expect(rows).toHaveLength(2);
    const line = rows.find((row) => row.startsWith(id)) ?? '';
    expect(line.indexOf('acme')).toBe(head.indexOf('ACCOUNT'));
    expect(line.indexOf('pro ')).toBe(head.indexOf('PLAN'));
    expect(line.indexOf('2026-11-21T12:00:00Z')).toBe(head.indexOf('CREATED'));
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

  it('scopes accepts a scope of another module with a warning', async () => {
    const { id } = await create();
    const { warning } = await run(`scopes ${id} pets:read,reports:run`);
    expect(warning).toMatch(/: reports:run$/);
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
