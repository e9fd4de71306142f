import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DomainError, Env } from '../kernel.js';

const PREFIX = 'whsec_';
const SECRET_BYTES = 24;
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Secrets of webhooks, which are stored encrypted with `WEBHOOK_KEY` (AES-256-GCM). */
@Injectable()
export class WebhookSecrets {
  private readonly key: Buffer | undefined;

  constructor({ WEBHOOK_KEY }: Env) {
    this.key =
      WEBHOOK_KEY === undefined ? undefined : Buffer.from(hkdfSync('sha256', WEBHOOK_KEY, '', 'webhooks', KEY_BYTES));
  }

  /**
   * Creates a secret, and its encrypted form.
   * @throws DomainError `webhooks_not_configured`
   */
  create(): { readonly secret: string; readonly encrypted: string } {
    const secret = PREFIX + randomBytes(SECRET_BYTES).toString('base64');
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.usableKey(), nonce);
    const text = Buffer.concat([cipher.update(secret), cipher.final()]);
    return { secret, encrypted: Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64') };
  }

  /** @throws DomainError `webhooks_not_configured`; Error if it was encrypted with another key */
  decrypt(encrypted: string): string {
    const bytes = Buffer.from(encrypted, 'base64');
    const textStart = NONCE_BYTES + TAG_BYTES;
    const decipher = createDecipheriv(CIPHER, this.usableKey(), bytes.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, textStart));
    return Buffer.concat([decipher.update(bytes.subarray(textStart)), decipher.final()]).toString();
  }

  private usableKey(): Buffer {
    if (this.key === undefined) throw notConfigured();
    return this.key;
  }
}

export function notConfigured(): DomainError {
  return new DomainError(
    'webhooks_not_configured',
    'The service has no key to encrypt secrets of webhooks with. Ask its operator to set WEBHOOK_KEY.',
  );
}

/** The headers of a delivery (Standard Webhooks 1.0), signed with each secret. */
export function signedHeaders(
  id: string,
  body: string,
  secrets: readonly string[],
  nowMs: number,
): Record<string, string> {
  const seconds = String(Math.floor(nowMs / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signatures.join(' ') };
}
