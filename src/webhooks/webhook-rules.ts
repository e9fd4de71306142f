import { DomainError, KEY_ID_SCHEMA, notFound, rfc3339 } from '../kernel.js';
import type { Webhook } from './webhook.dto.js';
import type { WebhookEntity } from './webhook.entity.js';

export const MOST_WEBHOOKS = 20;

/** The name of the subscription that reads the log for a webhook. */
export function subscriptionName({ id }: Pick<WebhookEntity, 'id'>): string {
  return `webhook:${id}`;
}

export const EXAMPLE = {
  id: 1,
  url: 'https://example.com/hooks/pets',
  types: ['pet.*'],
  state: 'enabled',
  keyId: KEY_ID_SCHEMA.example,
  createdAt: '2026-11-21T12:00:00.000Z',
} as const;

/** What a client may know: Node's errors name addresses and ports. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined || error instanceof DomainError ? message : `The receiver cannot be reached (${code}).`;
}

export function webhookNotFound(id?: string): DomainError {
  return notFound('webhook_not_found', 'The account has no webhook', id);
}

export function limitReached(): DomainError {
  return new DomainError('webhook_limit_reached', `An account can have ${MOST_WEBHOOKS} webhooks. Remove one first.`);
}

export function toWebhook({ id, url, types, state, reason, keyId, createdAt }: WebhookEntity): Webhook {
  const why = reason === null ? {} : { reason };
  return { id, url, types: types.split(','), state, ...why, keyId, createdAt: rfc3339(createdAt) };
}
