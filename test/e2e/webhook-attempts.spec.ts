// @postgres: deliveries are claimed from another table.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook as Verifier } from 'standardwebhooks';
import { DeliveryWorker } from '../../src/database/events/delivery/delivery-worker.js';
import { FakeClock } from '../support/app.js';
import { AMPLE, key, newPet, service, shareApp } from '../support/folders.js';
import { pagesFrom } from '../support/pages.js';
import { until } from '../support/until.js';
import { type Webhook, type Delivery, WebhookReceiver } from '../support/webhook-receiver.js';
import { callHook, createHook, deliveriesOf, removeHooks } from '../support/webhooks.js';

const [SECOND_MS, MINUTE_MS, HOUR_MS] = [1_000, 60_000, 3_600_000];
const WAITS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
];
const FULL = { ...AMPLE, scopes: ['pets:read', 'pets:write', 'webhooks:manage'] };
const clock = new FakeClock();
const receiver = new WebhookReceiver();

beforeAll(() => receiver.start());
afterAll(() => receiver.stop());
shareApp({ clock, env: receiver.env }, FULL);
beforeEach(() => receiver.reset());
afterEach(removeHooks);

const create = (path: string) => createHook(receiver.address + path);
const isFailed = async (webhook: Webhook, attempts: number) => {
  const [first] = await deliveriesOf(webhook);
  return first?.attempts === attempts && first.error !== undefined;
};

describe('a delivery', () => {
  it('that fails is tried ten times over three days, and once more when it is repeated', async () => {
    const webhook = await create('/failing');
    receiver.responses.set('/failing', { status: 500 });
    const petId = await newPet('Ada');
    await until(() => isFailed(webhook, 1));
    const waits: number[] = [];
    for (let attempts = 1; attempts < 10; attempts += 1) {
      expect((await callHook('GET', webhook)).body.state).toBe('enabled');
      const [delivery] = await deliveriesOf(webhook, '?state=pending');
      waits.push((Date.parse(delivery?.dueAt ?? '') - clock.nowMs()) / (WAITS_MS[waits.length] ?? 0));
      clock.ms = Date.parse(delivery?.dueAt ?? '');
      service.app.get(DeliveryWorker, { strict: false }).wake();
      await until(() => isFailed(webhook, attempts + 1));
    }
    // They vary by a tenth.
    expect(waits.filter((share) => share < 0.9 || share > 1.1)).toEqual([]);
    const given = { subject: `pet:${petId}`, state: 'failed', attempts: 10, error: 'The receiver responded with 500.' };
    expect(await deliveriesOf(webhook)).toMatchObject([given]);
    const endedMs = clock.nowMs();
    clock.advanceSeconds(1);
    const repeatSince = async (ms: number) =>
      (await callHook('POST', webhook, '/replay', { since: new Date(ms).toISOString() })).body;
    expect(await repeatSince(endedMs + 1)).toEqual({ repeated: 0 });
    expect(await repeatSince(endedMs)).toEqual({ repeated: 1 });
    receiver.responses.clear();
    await callHook('PATCH', webhook, '', { enabled: true });
    await until(async () => (await deliveriesOf(webhook, '?state=delivered')).length === 1);
    expect(receiver.at('/failing')).toHaveLength(11);
  });

  it('of a test is an event of the type webhook.test, as JSON from petstore-webhooks', async () => {
    const webhook = await create('/tested');
    const { status, body } = await callHook('POST', webhook, '/test');
    expect([status, body]).toEqual([201, { delivered: true }]);
    const [sent] = receiver.at('/tested');
    expect(sent?.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'petstore-webhooks',
    });
    expect(JSON.parse(sent?.body ?? '')).toEqual({
      id: sent?.headers['webhook-id'],
      type: 'webhook.test',
      subject: `webhook:${webhook.id}`,
      createdAt: new Date(clock.nowMs()).toISOString(),
      data: {},
    });
    expect(await deliveriesOf(webhook)).toEqual([]);
  });

  it('has a signature with the secret before a rotation too, for a day by default', async () => {
    // The verifier refuses what is older than five minutes by the clock of the system.
    clock.ms = Date.now();
    const webhook = await create('/rotated');
    const { body: rotated } = await callHook('POST', webhook, '/rotate', {});
    const signatures = async () => {
      await callHook('POST', webhook, '/test');
      return String(receiver.at('/rotated').at(-1)?.headers['webhook-signature']).split(' ');
    };
    expect(await signatures()).toHaveLength(2);
    const [sent] = receiver.at('/rotated');
    for (const { secret } of [webhook, rotated])
      new Verifier(secret).verify(String(sent?.body), Object(sent?.headers) as Record<string, string>);
    clock.advanceMs(24 * HOUR_MS - 1);
    expect(await signatures()).toHaveLength(2);
    clock.advanceMs(1);
    expect(await signatures()).toHaveLength(1);
  });
});

it('listDeliveries returns those in a state, page by page in the order of their events', async () => {
  const webhook = await create('/listed');
  receiver.responses.set('/listed', { status: 500 });
  const failed = await newPet('Dan');
  await until(() => isFailed(webhook, 1));
  receiver.responses.clear();
  const subjects: string[] = [];
  for (const name of ['Eve', 'Fay', 'Gil']) subjects.push(`pet:${await newPet(name)}`);
  await until(async () => (await deliveriesOf(webhook, '?state=delivered')).length === 3);
  const subjectsIn = async (query: string) => (await deliveriesOf(webhook, query)).map(({ subject }) => subject);
  expect(await subjectsIn('?state=pending')).toEqual([`pet:${failed}`]);
  expect(await subjectsIn('?state=failed')).toEqual([]);
  expect(await subjectsIn('')).toEqual([`pet:${failed}`, ...subjects]);
  const path = `/v1/webhooks/${webhook.id}/deliveries?limit=2&state=delivered`;
  const pages = await pagesFrom(path, (next) => service.request(next, { key }));
  const bodies = (await Promise.all(pages.map((page) => page.json()))) as Delivery[][];
  expect(bodies.map((body) => body.map(({ subject }) => subject))).toEqual([subjects.slice(0, 2), subjects.slice(2)]);
});
