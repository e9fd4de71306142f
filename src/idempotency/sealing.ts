import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
/** The nonce of NIST SP 800-38D, section 8.2.2: random, and few answers are sealed with one API key. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const PURPOSE = 'petstore idempotency answer';

/**
 * Encrypts text with the API key that the request came with. As the database has only a hash of that, whoever reads the
 * database can't read the answers in it, some of which show secrets.
 * @returns nonce, tag and ciphertext in base64
 */
export function seal(text: string, apiKey: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, sealingKey(apiKey), nonce);
  const ciphertext = [cipher.update(text, 'utf8'), cipher.final()];
  return Buffer.concat([nonce, cipher.getAuthTag(), ...ciphertext]).toString('base64');
}

/** @throws Error where the text was sealed with another API key, or changed since */
export function unseal(sealed: string, apiKey: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  const tagEnd = NONCE_BYTES + TAG_BYTES;
  const decipher = createDecipheriv(ALGORITHM, sealingKey(apiKey), bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, tagEnd));
  return Buffer.concat([decipher.update(bytes.subarray(tagEnd)), decipher.final()]).toString('utf8');
}

/** Tells requests apart: by the API key that they came with, method, target and the bytes of the body. */
export function fingerprint(keyId: string, method: string, target: string, body: Buffer): string {
  return createHash('sha256').update(`${keyId}\n${method}\n${target}\n`).update(body).digest('base64url');
}

/** By HKDF (RFC 5869), which needs no salt where what it starts from is as random as an API key. */
function sealingKey(apiKey: string): Buffer {
  return Buffer.from(hkdfSync('sha256', apiKey, '', PURPOSE, KEY_BYTES));
}
