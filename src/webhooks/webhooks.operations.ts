import { created, type OperationOptions, pageOf, resource, UNKNOWN_ID } from '../kernel.js';
import { Delivery, RepeatedDeliveries } from './delivery.dto.js';
import { IssuedWebhook, Webhook, WebhookTest } from './webhook.dto.js';
import { notConfigured } from './webhook-secrets.js';
import { EXAMPLE, limitReached, webhookNotFound } from './webhook-rules.js';

const COMMON = { scope: 'webhooks:manage', stability: 'experimental' } as const;
const NOT_FOUND = webhookNotFound(UNKNOWN_ID);
const ISSUED = { ...EXAMPLE, secret: `whsec_${'A'.repeat(32)}` };
const DISABLED = { ...EXAMPLE, state: 'disabled', reason: 'The receiver responded with 410.' };
const FAILED = {
  eventId: '0b5f1a4e-6f0e-4a43-9d1f-3f6f1d1c2b7a',
  subject: 'pet:7',
  state: 'failed',
  attempts: 10,
  dueAt: '2026-11-21T12:00:00.000Z',
  error: 'The receiver responded with 500.',
};

export const CREATE_WEBHOOK: OperationOptions = {
  ...COMMON,
  id: 'createWebhook',
  summary: 'Create a webhook',
  description:
    'Posts events from now on to your URL, signed according to Standard Webhooks. Only this response shows the secret. ' +
    'It delivers the events that the calling key can read. When that key is revoked, paused or expires, it stops ' +
    'until another key changes it.',
  bodyExamples: { 'Changes of pets': { url: EXAMPLE.url, types: EXAMPLE.types }, Everything: { url: EXAMPLE.url } },
  success: created(IssuedWebhook, 'The new webhook with its secret.', { 'A webhook': ISSUED }, [
    'Location',
    'Cache-Control',
  ]),
  errors: [notConfigured(), limitReached()],
};

export const LIST_WEBHOOKS: OperationOptions = {
  ...COMMON,
  id: 'listWebhooks',
  summary: 'List webhooks',
  description: 'Returns the webhooks of the account in ascending order of `id`.',
  success: pageOf(Webhook, 'Webhooks', 'A page of webhooks.', { 'Two webhooks': [EXAMPLE, { ...DISABLED, id: 2 }] }),
};

export const GET_WEBHOOK: OperationOptions = {
  ...COMMON,
  id: 'getWebhook',
  summary: 'Get a webhook',
  success: resource(Webhook, 'The webhook.', { Enabled: EXAMPLE, Disabled: DISABLED }),
  errors: [NOT_FOUND],
};

export const CHANGE_WEBHOOK: OperationOptions = {
  ...COMMON,
  id: 'changeWebhook',
  summary: 'Change a webhook',
  description:
    'Accepts a JSON merge patch (RFC 7396). From then on, the webhook delivers the events that the calling key can read.',
  bodyExamples: { 'Deliver again': { enabled: true }, 'Other types': { types: ['order.*'] } },
  success: resource(Webhook, 'The changed webhook.', { Enabled: EXAMPLE }),
  errors: [NOT_FOUND],
};

export const REMOVE_WEBHOOK: OperationOptions = {
  ...COMMON,
  id: 'removeWebhook',
  summary: 'Remove a webhook',
  description: 'No more events are delivered, and its deliveries are deleted.',
  success: { status: 204, description: 'The webhook is removed.' },
  errors: [NOT_FOUND],
};

export const ROTATE_WEBHOOK: OperationOptions = {
  ...COMMON,
  id: 'rotateWebhook',
  summary: 'Rotate the secret of a webhook',
  description: 'During the overlap, deliveries are signed with both secrets. Only this response shows the new secret.',
  bodyExamples: { 'An hour for both': { overlapSeconds: 3_600 } },
  success: {
    ...resource(IssuedWebhook, 'The webhook with its new secret.', { 'A new secret': ISSUED }),
    headers: ['Cache-Control'],
  },
  errors: [NOT_FOUND, notConfigured()],
};

export const TEST_WEBHOOK: OperationOptions = {
  ...COMMON,
  id: 'testWebhook',
  summary: 'Send a test event',
  description: 'Posts an event of the type `webhook.test` and returns the result. It is not retried.',
  success: {
    status: 201,
    description: 'The result of the delivery.',
    type: WebhookTest,
    examples: { Delivered: { delivered: true } },
  },
  errors: [NOT_FOUND],
};

export const LIST_DELIVERIES: OperationOptions = {
  ...COMMON,
  id: 'listDeliveries',
  summary: 'List deliveries of a webhook',
  description: 'Returns deliveries in the order of their events. They are kept as long as events.',
  success: pageOf(Delivery, 'Deliveries', 'A page of deliveries.', { 'One failed': [FAILED] }),
  errors: [NOT_FOUND],
};

export const REPLAY_DELIVERIES: OperationOptions = {
  ...COMMON,
  id: 'replayDeliveries',
  summary: 'Repeat deliveries',
  description: 'Sends events again, with the same identifiers.',
  bodyExamples: { 'What failed': { since: '2026-11-21T12:00:00.000Z' } },
  success: {
    status: 201,
    description: 'The number of repeated deliveries.',
    type: RepeatedDeliveries,
    examples: { Some: { repeated: 12 } },
  },
  errors: [NOT_FOUND],
};
