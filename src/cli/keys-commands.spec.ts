import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AuthBench, type AuthInstance } from '../../test/support/auth-service.js';
import { parseKeysArguments } from './keys-arguments.js';
import { runCommand } from './keys-commands.js';
import { DEFAULT_SCOPES } from '../api-keys/index.js';

describe('the keys commands', () => {
  let bench: AuthBench;
  let service: AuthInstance;

  beforeEach(async () => {
    bench = new AuthBench();
    service = await bench.open();
  });

  afterEach(() => bench.remove());

  const run = async (line: string) => {
    const command = parseKeysArguments(line.split(' '));
    if (command.name === 'help' || command.name === 'usage') throw new TypeError(`${command.name} runs elsewhere`);
    const { text, ...outcome } = await runCommand(command, service.keys, 'cli:spec');
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

  it('create prints a working key', async () => {
    const { text } = await run('create --account acme --plan pro');
    const key = /psk_live_\w+/.exec(text)?.[0] ?? '';
    expect(await service.verifier.verify(key)).toHaveProperty('account', 'acme');
    expect(text).toContain('plan pro (300 requests a minute, 10000 a day)');
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
});
