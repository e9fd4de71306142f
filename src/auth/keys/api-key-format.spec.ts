import { describe, expect, it } from '@jest/globals';
import { generateApiKey, generateKeyId, hashApiKey, keyFault, maskApiKey } from './api-key-format.js';

/** Computed apart from this code: CRC32 of the first 39 characters, in base62, zero-padded. */
const VECTOR = 'psk_live_0123456789ABCDEFGHIJabcdefghij1yIOLq';
const VECTOR_WITH_PADDING = 'psk_test_00000000000000000000000000000000iRZ7';
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const isApiKey = (text: string) => (['live', 'test'] as const).some((kind) => keyFault(text, kind) === undefined);

describe('API keys', () => {
  it('end in the CRC32 of the preceding characters', () => {
    expect(isApiKey(VECTOR)).toBe(true);
    expect(isApiKey(VECTOR_WITH_PADDING)).toBe(true);
  });

  it.each(['live', 'test'] as const)('are generated well-formed, random and of the requested kind: %s', (kind) => {
    const keys = Array.from({ length: 200 }, () => generateApiKey(kind));
    for (const key of keys) {
      expect(key).toMatch(new RegExp(`^psk_${kind}_[0-9A-Za-z]{36}$`));
      expect(isApiKey(key)).toBe(true);
    }
    expect(new Set(keys).size).toBe(keys.length);
    expect(new Set(keys.map((key) => key.slice(9, 39)).join(''))).toEqual(new Set(BASE62));
  });

  it('are invalid after a change of any single character', () => {
    const accepted: string[] = [];
    for (let index = 0; index < VECTOR.length; index += 1) {
      for (const character of `${BASE62}-_ `) {
        const changed = VECTOR.slice(0, index) + character + VECTOR.slice(index + 1);
        if (changed !== VECTOR && isApiKey(changed)) accepted.push(changed);
      }
    }
    expect(accepted).toEqual([]);
  });

  it.each([
    ['nothing', ''],
    ['one character less', VECTOR_WITH_PADDING.slice(0, -1)],
    ['one character more', `${VECTOR}0`],
    ['a checksum without its padding', VECTOR_WITH_PADDING.replace(/00iRZ7$/, 'iRZ7')],
    ['another prefix', VECTOR.replace('live', 'prod')],
    ['the other kind', VECTOR.replace('live', 'test')],
    ['a line break after it', `${VECTOR}\n`],
  ])('are invalid with %s', (_, text) => {
    expect(isApiKey(text)).toBe(false);
  });

  it('are stored as the SHA-256 of the whole key', () => {
    expect(hashApiKey(VECTOR)).toBe('aedf1963261e3fea3b99a1d2387ba84bd91f0e6ba4d09ef13448254adb4b110d');
  });

  it('are masked except for their first and last characters', () => {
    expect(maskApiKey(VECTOR)).toBe('psk_live_0123…IOLq');
  });

  it('have unique ids', () => {
    const ids = new Set(Array.from({ length: 100 }, generateKeyId));
    expect(ids.size).toBe(100);
    for (const id of ids) expect(id).toMatch(/^key_[0-9A-Za-z]{16}$/);
  });
});
