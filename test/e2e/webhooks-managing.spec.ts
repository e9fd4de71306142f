import { beforeEach, describe, expect, it } from '@jest/globals';
import { AccountsService } from '../../src/accounts/accounts.service.js';
import { Database } from '../../src/index.js';
import { FakeClock } from '../support/app.js';
import { refusalOf } from '../support/expectations.js';
import { AMPLE, service, sharePreparedApp } from '../support/folders.js';
import { idsFrom } from '../support/pages.js';
import { WEBHOOK_KEY } from '../support/webhook-settings.js';
import type { Webhook } from '../support/webhook-receiver.js';

const SCOPES = ['pets:read', 'events:read', 'webhooks:manage'];
const URL = 'https://example.com/hooks';
const clock = new FakeClock();
let accounts = 0;
let account: string;
let key: string;
let keyId: string;

sharePreparedApp({ clock, env: { WEBHOOK_KEY } });
beforeEach(async () => {
  account = `hooked ${(accounts += 1)}`;
  ({ key, id: keyId } = await issue());
});

const issue = (scopes = SCOPES) => service.createKey({ ...AMPLE, account, scopes });
const create = async (body: object = { url: URL }) => (await service.json<Webhook>('/v1/webhooks', { key, body })).body;
const call = <Body = Webhook>(method: string, { id }: Webhook, rest = '', body?: object, as = key) =>
  service.json<Body>(`/v1/webhooks/${id}${rest}`, { key: as, method, body });
const eventsOf = async ({ id }: Webhook) =>
  (await service.json<{ type: string; data: object }[]>(`/v1/events?subject=webhook:${id}`, { key })).body;
/** Identifiers of all webhooks that a key lists. */
const idsOf = (as: string) => idsFrom('/v1/webhooks?limit=2', (path) => service.request(path, { key: as }));
const trail = async () =>
  (await service.app.get(AccountsService).readAudit(account))
    .filter(({ action }) => action.startsWith('webhook.'))
    .map(({ action, keyId: by, detail }) => ({ action, by, ...(JSON.parse(detail) as object) }))
    .toReversed();

describe('createWebhook', () => {
  it('returns 201 with its Location and its secret, which no other response has; it gets all types by default', async () => {
    const { status, headers, body } = await service.json<Webhook>('/v1/webhooks', { key, body: { url: URL } });
    const { secret, ...webhook } = body;
    expect([status, headers.get('location'), headers.get('cache-control')]).toEqual([
      201,
      `/v1/webhooks/${body.id}`,
      'no-store',
    ]);
    const createdAt = new Date(clock.nowMs()).toISOString();
    expect(webhook).toEqual({ id: body.id, url: URL, types: ['*'], state: 'enabled', keyId, createdAt });
    expect((await call('GET', body)).body).toEqual(webhook);
    expect(JSON.stringify(await eventsOf(body))).not.toContain(secret);
  });
});

it('listWebhooks returns those of the account, page by page', async () => {
  const ids = [(await create()).id, (await create()).id, (await create()).id];
  const { key: other } = await service.createKey({ ...AMPLE, account: `${account} neighbour`, scopes: SCOPES });
  expect([await idsOf(key), await idsOf(other)]).toEqual([ids, []]);
});

describe('changeWebhook', () => {
  it('makes the calling key the one that the webhook reads events with', async () => {
    const webhook = await create();
    const other = await issue();
    const changed = await call('PATCH', webhook, '', { types: ['pet.*'] }, other.key);
    expect(changed.body).toMatchObject({ id: webhook.id, url: URL, types: ['pet.*'], keyId: other.id });
    expect((await call('GET', webhook)).body).toEqual(changed.body);
  });

  it.each([
    [{ url: 'https://127.0.0.1/' }, 'url must not be an internal address.'],
    [{ url: 'http://example.com/' }, 'url must be an absolute https URL without credentials or a fragment.'],
    [{ types: ['order.*'] }, 'types must include one that the key can read. It lacks orders:read.'],
    [{ enabled: null }, 'enabled must be true or false, not null (leave it out instead).'],
  ])('refuses %j, and changes nothing', async (change, message) => {
    const webhook = await create();
    const before = await call('GET', webhook);
    expect((await call('PATCH', webhook, '', change)).body).toMatchObject({ code: 'validation_failed', message });
    expect((await call('GET', webhook)).body).toEqual(before.body);
  });

  it('stops a webhook, whose account gets no reason, and removes the reason of the service with the next start', async () => {
    const webhook = await create();
    expect((await call('PATCH', webhook, '', { enabled: false })).body).toMatchObject({ state: 'disabled' });
    expect((await call('GET', webhook)).body).not.toHaveProperty('reason');
    await service.app.get(Database).query(`UPDATE "webhooks" SET "reason" = 'Gone.' WHERE "id" = ${webhook.id}`);
    expect((await call('GET', webhook)).body).toMatchObject({ state: 'disabled', reason: 'Gone.' });
    expect((await call('PATCH', webhook, '', { types: ['pet.*'] })).body).toMatchObject({ reason: 'Gone.' });
    const enabled = await call('PATCH', webhook, '', { enabled: true });
    expect(enabled.body).toMatchObject({ state: 'enabled' });
    expect(enabled.body).not.toHaveProperty('reason');
    expect((await call('GET', webhook)).body).toEqual(enabled.body);
  });

  it('of what is so already is told nowhere', async () => {
    const webhook = await create();
    expect((await call('PATCH', webhook, '', { url: URL, types: ['*'], enabled: true })).status).toBe(200);
    expect((await eventsOf(webhook)).map(({ type }) => type)).toEqual(['webhook.created']);
    expect((await trail()).map(({ action }) => action)).toEqual(['webhook.created']);
  });
});

describe('rotateWebhook', () => {
  it('shows another secret once', async () => {
    const webhook = await create();
    const { headers, body } = await call('POST', webhook, '/rotate', {});
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({ ...webhook, secret: expect.stringMatching(/^whsec_[\w+/]{32}$/) });
    expect(body.secret).not.toBe(webhook.secret);
  });

  it('lets both secrets sign for a week at most', async () => {
    const webhook = await create();
    const statuses = [0, 604_800, 604_801, -1].map(
      async (overlapSeconds) => (await call('POST', webhook, '/rotate', { overlapSeconds })).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 200, 400, 400]);
  });
});

it('removeWebhook is told by an event with the last state, and then 404', async () => {
  const webhook = await create({ url: URL, types: ['pet.*'] });
  const { body: last } = await call('GET', webhook);
  expect((await service.request(`/v1/webhooks/${webhook.id}`, { key, method: 'DELETE' })).status).toBe(204);
  expect(await eventsOf(webhook)).toMatchObject([
    { type: 'webhook.created', data: last },
    { type: 'webhook.removed', data: last },
  ]);
  expect(await refusalOf(service.request(`/v1/webhooks/${webhook.id}`, { key }))).toBe('404 webhook_not_found');
});

describe('a webhook', () => {
  it('has a secret that is stored encrypted, by another nonce each time', async () => {
    const [one, other] = [await create(), await create()];
    const rows = await service.app
      .get(Database)
      .query<{ secret: string }[]>(`SELECT "secret" FROM "webhooks" WHERE "id" IN (${one.id}, ${other.id})`);
    const stored = rows.map(({ secret }) => secret + Buffer.from(secret, 'base64').toString('latin1'));
    expect(stored).toHaveLength(2);
    for (const { secret } of [one, other]) expect(stored.join()).not.toContain(secret);
    expect(new Set(rows.map(({ secret }) => secret.slice(0, 16))).size).toBe(2);
  });

  it('has an audit trail', async () => {
    const webhook = await create();
    await call('PATCH', webhook, '', { enabled: false });
    await call('POST', webhook, '/rotate', { overlapSeconds: 60 });
    await service.request(`/v1/webhooks/${webhook.id}`, { key, method: 'DELETE' });
    const common = { by: keyId, webhook: webhook.id };
    expect(await trail()).toMatchObject([
      { action: 'webhook.created', ...common, url: URL, types: ['*'] },
      { action: 'webhook.changed', ...common, url: URL, types: '*', state: 'disabled' },
      { action: 'webhook.rotated', ...common, previousUntil: clock.nowMs() + 60_000 },
      { action: 'webhook.removed', ...common },
    ]);
    expect(JSON.stringify(await trail())).not.toContain('whsec_');
  });
});
