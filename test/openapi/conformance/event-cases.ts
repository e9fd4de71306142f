import { SCOPES } from '../../../src/auth/keys/scopes.js';
import { JSON_TYPE } from '../../support/http.js';
import { withoutWebhookKey } from './events.js';
import { type Ask, made, sample, send } from './samples.js';
import { subject, WEBHOOK } from './subject.js';

/** Calls an operation on a webhook that does not exist. */
const unknown: Ask = async (id) => {
  const path = await made(sample(id).path);
  return send(id, {}, path.replace(/webhooks\/\d+/, 'webhooks/404'));
};

const unconfigured: Ask = (id) => {
  withoutWebhookKey();
  return send(id);
};

const OF_ONE = ['getWebhook', 'changeWebhook', 'removeWebhook', 'rotateWebhook', 'testWebhook'];

/** What single operations of events and webhooks return. */
export const EVENT_CASES: [string, string, number, Ask][] = [
  [
    'listEvents',
    'an old cursor whose event is gone',
    410,
    (id) => send(id, {}, `/v1/events?after=${Buffer.from('0-0').toString('base64url')}`),
  ],
  ['listEvents', 'nothing new', 200, (id) => send(id, {}, '/v1/events?after=latest')],
  ['listEvents', 'nothing new, after a wait', 200, (id) => send(id, { headers: { Prefer: 'wait=0' } })],
  ...[...OF_ONE, 'listDeliveries', 'replayDeliveries'].map((id): [string, string, number, Ask] => [
    id,
    'an unknown webhook',
    404,
    unknown,
  ]),
  ...['createWebhook', 'rotateWebhook'].map((id): [string, string, number, Ask] => [
    id,
    'a service that cannot encrypt',
    409,
    unconfigured,
  ]),
  [
    'createWebhook',
    'no room for another webhook',
    409,
    async (id) => {
      const crowded = await subject.service.key({ account: 'many webhooks', plan: 'business', scopes: SCOPES });
      for (let n = 0; n < 20; n += 1) await subject.service.post('/v1/webhooks', crowded, WEBHOOK);
      return send(id, { key: crowded });
    },
  ],
  ...[
    ['malformed JSON, although it takes no body', 400, '{'] as const,
    ['too large a body, although it takes none', 413, ' '.repeat(17_000)] as const,
  ].map(([name, status, body]): [string, string, number, Ask] => [
    'testWebhook',
    name,
    status,
    () => send('testWebhook', { headers: JSON_TYPE, body }),
  ]),
  [
    'testWebhook',
    'another media type, although it takes no body',
    415,
    () => send('testWebhook', { headers: { 'Content-Type': 'text/plain' }, body: 'x' }),
  ],
  ...['listWebhooks', 'getWebhook', 'listDeliveries'].flatMap((id): [string, string, number, Ask][] => [
    [id, 'what the client has', 304, () => send(id, { headers: { 'If-None-Match': '*' } })],
    [id, 'an old state', 412, () => send(id, { headers: { 'If-Match': '"old"' } })],
  ]),
  ...['changeWebhook', 'removeWebhook'].map((id): [string, string, number, Ask] => [
    id,
    'an old state',
    412,
    () => send(id, { headers: { ...JSON_TYPE, 'If-Match': '"old"' } }),
  ]),
  ['listWebhooks', 'a last page', 200, (id) => send(id, {}, '/v1/webhooks?limit=100')],
  [
    'getWebhook',
    'a webhook that was disabled',
    200,
    async (id) => {
      await send('changeWebhook', { body: '{"enabled":false}' });
      return send(id);
    },
  ],
  ['listDeliveries', 'no deliveries', 200, (id) => send(id, {}, '/v1/webhooks/1/deliveries?state=failed')],
];
