import { describe, expect, it } from '@jest/globals';
import type { KeyDetails } from '../keys/key.dto.js';
import { listJson, listText } from './keys-output.js';

const KEY: KeyDetails = {
  id: 'key_1',
  masked: 'psk_live_Ab3d…9xYz',
  account: 'acme',
  plan: 'pro',
  scopes: ['pets:read'],
  createdAt: '2026-11-21T12:00:00.000Z',
};

async function* pagesOf(...pages: KeyDetails[][]) {
  yield* pages;
}

async function textOf(chunks: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += chunk;
  return text;
}

const twoPages = () => pagesOf([KEY, { ...KEY, account: 'a-longer-name' }], [KEY]);

describe('a list of several pages', () => {
  it('is a table for each page', async () => {
    const lines = (await textOf(listText(twoPages()))).split('\n');
    expect(lines.map((line) => line.indexOf('PLAN'))).toEqual([48, -1, -1, 42, -1]);
    expect(lines.map((line) => line.indexOf('pro '))).toEqual([-1, 48, 48, -1, 42]);
  });

  it('is one array as JSON', async () => {
    expect(JSON.parse(await textOf(listJson(twoPages())))).toHaveLength(3);
  });
});

describe('an empty list', () => {
  it('is a head, and as JSON an empty array', async () => {
    expect(await textOf(listText(pagesOf()))).toMatch(/^ID {2}NAME/);
    expect(await textOf(listJson(pagesOf()))).toBe('[]');
  });
});
