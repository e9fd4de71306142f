import { describe, expect, it } from '@jest/globals';
import type { KeyDetails } from '../keys/key-responses.dto.js';
import { accountsText, auditText, listText } from './keys-output.js';

const KEY: KeyDetails = {
  id: 'key_1',
  masked: 'psk_live_Ab3d…9xYz',
  account: 'acme',
  plan: 'pro',
  scopes: ['pets:read'],
  createdAt: '2026-11-21T12:00:00.000Z',
};

const NOW_MS = Date.parse('2026-11-22T12:00:00Z');
const LONG = {
  name: '👩‍🚀'.repeat(30),
  account: 'a'.repeat(100),
  plan: 'enterprise',
  keyId: 'key_0123456789abcdef',
} as const;

/** The text of a list, from pages of a thousand keys. */
async function listOf(keys: readonly KeyDetails[]): Promise<string> {
  const pages = async function* () {
    for (let from = 0; from < keys.length; from += 1_000) yield keys.slice(from, from + 1_000);
  };
  let text = '';
  for await (const part of listText(pages(), NOW_MS)) text += part;
  return text;
}

const widest = (text: string) => Math.max(...text.split('\n').map(({ length }) => length));

describe('a list of keys', () => {
  it('is one table, of any length', async () => {
    const keys = Array.from({ length: 200_000 }, () => KEY);
    const lines = (await listOf([...keys, { ...KEY, account: 'a-longer-name' }])).split('\n');
    expect(lines).toHaveLength(200_002);
    expect(new Set(lines.map((line) => line.search(/STATE|active /)))).toEqual(new Set([67]));
  });

  it('is a head if there are none', async () => {
    expect(await listOf([])).toMatch(/^ID +KEY.*$/);
  });

  it.each([
    ['active', {}],
    ['active', { expiresAt: '2026-11-22T12:00:00.001Z' }],
    ['suspended', { suspendedAt: KEY.createdAt }],
    ['paused', { pausedAt: KEY.createdAt, suspendedAt: KEY.createdAt }],
    ['expired', { pausedAt: KEY.createdAt, expiresAt: '2026-11-22T12:00:00.000Z' }],
    ['revoked', { pausedAt: KEY.createdAt, expiresAt: KEY.createdAt, revokedAt: KEY.createdAt }],
  ])('says that a key is %s: %j', async (state, times) => {
    expect((await listOf([{ ...KEY, ...times }])).split('\n')[1]).toContain(` ${state} `);
  });
});

it('tables fit 100 columns', async () => {
  const at = '2026-11-21T12:00:00.000Z';
  const { name, account, plan, keyId } = LONG;
  const key = { ...KEY, id: keyId, name, account, plan, expiresAt: at, lastUsedAt: at };
  const since = { limitsUntil: at, suspendedAt: at };
  const summary = { id: 1, ...since, account, plan, perMinute: 1e9, perDay: 1e9, activeKeys: 100, lastUsedAt: at };
  const entry = { at, actor: keyId, action: 'account.plan_changed', account, keyId, detail: '{}' } as const;
  for (const text of [await listOf([key]), accountsText([summary]), auditText([entry])]) {
    expect(widest(text)).toBeGreaterThan(90);
    expect(widest(text)).toBeLessThanOrEqual(100);
  }
});
