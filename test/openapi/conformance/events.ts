import { jest } from '@jest/globals';
import { EventFeed } from '../../../src/event-feed/event-feed.service.js';
import { Deliveries } from '../../../src/kernel.js';
import { WebhookDeliveries } from '../../../src/webhooks/webhook-deliveries.js';
import { notConfigured, WebhookSecrets } from '../../../src/webhooks/webhook-secrets.js';
import { WebhooksService } from '../../../src/webhooks/webhooks.service.js';
import type { Sample } from './samples.js';
import { subject, WEBHOOK } from './subject.js';

/* How to call the operations of events and webhooks. */

const failWebhooks = (method: 'create' | 'list' | 'get' | 'change' | 'remove' | 'rotate') => (error: Error) =>
  void jest.spyOn(subject.service.app.get(WebhooksService), method).mockRejectedValue(error);
const failDeliveries = (method: 'test' | 'repeat') => (error: Error) =>
  void jest.spyOn(subject.service.app.get(WebhookDeliveries), method).mockRejectedValue(error);

export const EVENT_SAMPLES: Record<string, Sample> = {
  listEvents: {
    path: '/v1/events?limit=1',
    fail: (error) => void jest.spyOn(subject.service.app.get(EventFeed), 'page').mockRejectedValue(error),
  },
  createWebhook: { path: '/v1/webhooks', method: 'POST', body: WEBHOOK, success: 201, fail: failWebhooks('create') },
  listWebhooks: { path: '/v1/webhooks?limit=1', fail: failWebhooks('list') },
  getWebhook: { path: '/v1/webhooks/1', fail: failWebhooks('get') },
  changeWebhook: { path: '/v1/webhooks/1', method: 'PATCH', body: '{"enabled":true}', fail: failWebhooks('change') },
  removeWebhook: {
    path: () => subject.spareWebhook(),
    method: 'DELETE',
    success: 204,
    fail: failWebhooks('remove'),
  },
  rotateWebhook: { path: '/v1/webhooks/1/rotate', method: 'POST', body: '{}', fail: failWebhooks('rotate') },
  testWebhook: { path: '/v1/webhooks/1/test', method: 'POST', success: 201, fail: failDeliveries('test') },
  listDeliveries: {
    path: '/v1/webhooks/1/deliveries?limit=1',
    fail: (error) => void jest.spyOn(subject.service.app.get(Deliveries), 'page').mockRejectedValue(error),
  },
  replayDeliveries: {
    path: '/v1/webhooks/1/replay',
    method: 'POST',
    body: '{"since":"2026-11-21T12:00:00.000Z"}',
    success: 201,
    fail: failDeliveries('repeat'),
  },
};

/** Lets the service have no key that encrypts secrets. */
export function withoutWebhookKey(): void {
  jest.spyOn(subject.service.app.get(WebhookSecrets), 'create').mockImplementation(() => {
    throw notConfigured();
  });
}
