import { crc32 } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { generateApiKey } from '../../src/auth/keys/api-key-format.js';
import { files, page } from './pages.js';

const { blocks } = page('docs/authentication.md');
const form = new RegExp(blocks.find(({ text }) => text.startsWith('psk_('))?.text ?? 'missing', 'g');
const rule = files.get('petstore.gitleaks.toml') ?? '';
const scanned = new RegExp(/^regex = '''(.*)'''$/m.exec(rule)?.[1] ?? 'missing', 'g');
const keywords = /^keywords = (.*)$/m.exec(rule)?.[1] ?? '[]';

const KEYS = [...Array.from({ length: 50 }, () => generateApiKey('live')), generateApiKey('test')];
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('the form of keys in the manual', () => {
  it('is the form of the keys that the service creates', () => {
    for (const key of KEYS) expect(key.match(form)).toEqual([key]);
  });

  it('ends in the checksum that the manual describes', () => {
    expect(page('docs/authentication.md').lines.join('\n')).toContain(
      'the CRC-32 of all characters before them, written in base 62 with the digits `0-9A-Za-z`',
    );
    for (const key of KEYS) {
      const digits = key.slice(-6).split('');
      const value = digits.reduce((sum, digit) => sum * 62 + DIGITS.indexOf(digit), 0);
      expect(value).toBe(crc32(key.slice(0, -6)));
    }
  });
});

describe('the rule for gitleaks', () => {
  it.each(['const key = "<key>";', 'API_KEY=<key>', '"Authorization: Bearer <key>"', 'https://x.test/?key=<key>&a=1'])(
    'finds a key in %s',
    (line) => {
      for (const key of KEYS) {
        const text = line.replace('<key>', key);
        expect(text.match(scanned)).toEqual([key]);
        // gitleaks looks only at files with a keyword.
        expect((JSON.parse(keywords) as string[]).some((word) => text.includes(word))).toBe(true);
      }
    },
  );

  it.each([
    'psk_live_...',
    'psk_live_0123…IOLq',
    'psk_live_replace_this_with_your_own_key_please',
    'key_0123456789ABCDEF',
  ])('finds no key in %s', (text) => expect(text.match(scanned)).toBeNull());
});
