import { expect } from '@jest/globals';
import { key, service } from './folders.js';
import type { Delivery, Webhook } from './webhook-receiver.js';

/*
 * Webhooks of the app that the tests of a file share, by default of its key.
 */

export async function createHook(url: string, types: readonly string[] = ['pet.*'], as = key): Promise<Webhook> {
  const { status, body } = await service.json<Webhook>('/v1/webhooks', { key: as, body: { url, types } });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body;
}

/** Sends a request to the path of a webhook, or below it. */
export const callHook = <Body = Webhook>(method: string, { id }: Webhook, rest = '', body?: object) =>
  service.json<Body>(`/v1/webhooks/${id}${rest}`, { key, method, body });

export const deliveriesOf = async (hook: Webhook, query = '') =>
  (await callHook<Delivery[]>('GET', hook, `/deliveries${query}`)).body;

/** Removes all webhooks of the account. */
export async function removeHooks(): Promise<void> {
  const { body } = await service.json<Webhook[]>('/v1/webhooks?limit=100', { key });
  for (const hook of body) await callHook('DELETE', hook);
}
