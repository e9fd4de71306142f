import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** About 178 bits. */
const RANDOM_LENGTH = 30;
/** 62^6 exceeds 2^32, so every CRC32 fits. */
const CHECKSUM_LENGTH = 6;
const KEY_ID_LENGTH = 16;
const SHAPE = /^psk_(?:live|test)_[0-9A-Za-z]{36}$/;
/** The form of a key's identifier. */
export const KEY_ID = /^key_[0-9A-Za-z]{16}$/;
const PREFIX_LENGTH = 'psk_live_'.length;
const SHOWN_LENGTH = 4;

/** Makes a new API key: a prefix that secret scanners recognise, randomness, and a checksum over both. */
export function generateApiKey(kind: 'live' | 'test'): string {
  const body = `psk_${kind}_${randomBase62(RANDOM_LENGTH)}`;
  return body + checksum(body);
}

/** Whether a text has the form and the checksum of an API key, which most typing errors and guesses have not. */
export function isApiKey(text: string): boolean {
  return SHAPE.test(text) && text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH)));
}

/** Makes a new identifier for a key: `key_` and 16 random base62 characters. It is no secret. */
export function generateKeyId(): string {
  return `key_${randomBase62(KEY_ID_LENGTH)}`;
}

/**
 * SHA-256 of a key in hexadecimal, all that is stored of it.
 * A slow password hash would protect guessable secrets only; a key has randomness enough.
 */
export function hashApiKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** What may be shown of a key: prefix, and the first and last characters of the rest (`psk_live_Ab3d…9xYz`). */
export function maskApiKey(key: string): string {
  return `${key.slice(0, PREFIX_LENGTH + SHOWN_LENGTH)}…${key.slice(-SHOWN_LENGTH)}`;
}

function randomBase62(length: number): string {
  // randomInt rejects what would make some characters likelier than others.
  return Array.from({ length }, () => BASE62.charAt(randomInt(BASE62.length))).join('');
}

/** CRC32 in base62, most significant digit first. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (; rest > 0; rest = Math.floor(rest / BASE62.length)) digits = BASE62.charAt(rest % BASE62.length) + digits;
  return digits.padStart(CHECKSUM_LENGTH, '0');
}
