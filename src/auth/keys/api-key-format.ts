import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Env } from '../../platform/config/env.js';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** About 178 bits. */
const RANDOM_LENGTH = 30;
/** 62^6 exceeds 2^32, so every CRC32 fits. */
const CHECKSUM_LENGTH = 6;
export const API_KEY = /^psk_(live|test)_[0-9A-Za-z]{36}$/;
export const KEY_ID = /^key_[0-9A-Za-z]{16}$/;
const PREFIX_LENGTH = 'psk_live_'.length;
const KEY_LENGTH = PREFIX_LENGTH + RANDOM_LENGTH + CHECKSUM_LENGTH;

export type KeyKind = 'live' | 'test';

/** The kind of key that a service creates and accepts. */
export function keyKindOf({ ENVIRONMENT }: Env): KeyKind {
  return ENVIRONMENT === 'staging' ? 'test' : 'live';
}

/** Creates an API key: a prefix that secret scanners recognise, random characters, and a checksum over both. */
export function generateApiKey(kind: KeyKind): string {
  const body = `psk_${kind}_${randomBase62(RANDOM_LENGTH)}`;
  return body + checksum(body);
}

/** What is wrong with the form of a key, if anything, without a character of it. @param kind that is accepted */
export function keyFault(text: string, kind: KeyKind): string | undefined {
  const prefix = `psk_${kind}_`;
  if (!text.startsWith(prefix)) {
    const [other, environment] = kind === 'live' ? ['psk_test_', 'staging'] : ['psk_live_', 'production'];
    const itIs = text.startsWith(other)
      ? `It is for the ${environment} environment. `
      : text.startsWith('key_')
        ? 'It is the identifier of a key. '
        : '';
    return `${itIs}Keys of this service start with ${prefix}.`;
  }
  if (text.length !== KEY_LENGTH) return `It has ${text.length} characters instead of ${KEY_LENGTH}. Copy it whole.`;
  if (!API_KEY.test(text)) return `Only letters and digits can follow ${prefix}.`;
  if (text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH)))) return undefined;
  return 'It has a typing error: its checksum does not match.';
}

/** Creates an identifier for a key: `key_` and 16 random base62 characters. It is not a secret. */
export function generateKeyId(): string {
  return `key_${randomBase62(16)}`;
}

/**
 * SHA-256 of a key in hexadecimal; only this is stored. A key is random, so it does not need a slow password hash, which
 * protects guessable secrets.
 */
export function hashApiKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** The part of a key that can be shown: prefix, first and last characters (`psk_live_Ab3d…9xYz`). */
export function maskApiKey(key: string): string {
  return `${key.slice(0, PREFIX_LENGTH + 4)}…${key.slice(-4)}`;
}

function randomBase62(length: number): string {
  // randomInt has no modulo bias.
  return Array.from({ length }, () => BASE62.charAt(randomInt(BASE62.length))).join('');
}

/** CRC32 in base62, most significant digit first. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (; rest > 0; rest = Math.floor(rest / BASE62.length)) digits = BASE62.charAt(rest % BASE62.length) + digits;
  return digits.padStart(CHECKSUM_LENGTH, '0');
}
