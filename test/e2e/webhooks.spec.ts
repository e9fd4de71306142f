// @postgres: deliveries are claimed from another table.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook as Verifier } from 'standardwebhooks';
import { WebhookDeliveries } from '../../src/webhooks/webhook-deliveries.js';
import { FakeClock } from '../support/app.js';
import { AMPLE, key, service, shareApp } from '../support/folders.js';
import { until } from '../support/until.js';
import { type Webhook, WebhookReceiver } from '../support/webhook-receiver.js';

const FULL = {
  ...AMPLE,
  scopes: ['pets:read', 'pets:write', 'orders:read', 'events:read', 'keys:manage', 'webhooks:manage'],
};
const clock = new FakeClock(Date.now());
const receiver = new WebhookReceiver();
const { responses, unanswered } = receiver;

const create = async (path: string, types: readonly string[] = ['pet.*'], as = key) => {
  const body = { url: receiver.address + path, types };
  const made = await service.json<Webhook>('/v1/webhooks', { key: as, body });
  expect(made.status).toBe(201);
  return made.body;
};
const call = <Body>(method: string, id: number, rest = '', body?: object) =>
  service.json<Body>(`/v1/webhooks/${id}${rest}`, { key, method, ...(body === undefined ? {} : { body }) });
const createPet = async (name: string) =>
  (await service.json<{ id: number }>('/v1/pets', { key, body: { name, categoryId: 1 } })).body.id;
/** Otherwise webhooks are read once a second. */
const readAnew = () => service.app.get(WebhookDeliveries, { strict: false }).subscriptions(true);
const at = (path: string) => receiver.at(path);

beforeAll(() => receiver.start());
afterAll(() => receiver.stop());

describe('with an address inside that is allowed', () => {
  shareApp({ clock, env: receiver.env }, FULL);
  beforeEach(() => receiver.reset());

  it('delivers events with the bytes of the feed, signed according to Standard Webhooks', async () => {
    const { id, secret } = await create('/signed');
    expect(secret).toMatch(/^whsec_[\w+/]{32}$/);
    const petId = await createPet('Ada');
    await until(() => at('/signed').length === 1);
    const [first] = at('/signed');
    const headers = Object(first?.headers) as Record<string, string>;
    const body = String(first?.body);
    // The verifier refuses what is older than five minutes by the clock of the system, which the test's is close to.
    expect(new Verifier(secret).verify(body, headers)).toMatchObject({ type: 'pet.created', data: { name: 'Ada' } });
    const feed = await (await service.request(`/v1/events?subject=pet:${petId}`, { key })).text();
    expect(feed).toBe(`[${body}]`);
    expect(headers['webhook-id']).toBe((JSON.parse(body) as { id: string }).id);
    const { body: deliveries } = await call<{ state: string }[]>('GET', id, '/deliveries?state=delivered');
    expect(deliveries).toMatchObject([{ state: 'delivered', subject: `pet:${petId}`, attempts: 1 }]);
    expect((await call('GET', id, '/deliveries?state=failed')).body).toEqual([]);
    await call('DELETE', id);
  });

  it('goes on with other subjects while the receiver does not respond for one', async () => {
    const { id } = await create('/slow');
    unanswered.add('Max');
    await createPet('Max');
    await until(() => at('/slow').length === 1);
    for (const name of ['Ned', 'Oda', 'Pia']) {
      await createPet(name);
      await until(() => at('/slow').some(({ body }) => body.includes(name)));
    }
    expect(at('/slow')).toHaveLength(4);
    unanswered.clear();
    receiver.closeConnections();
    await call('DELETE', id);
  });

  it.each([
    ['600', 600_000],
    ['999999999', 86_400_000],
    ['a date', 600_000],
  ])('waits as long as Retry-After says, but a day at most: %s', async (retryAfter, waitMs) => {
    const { id } = await create('/busy');
    // Dates in headers have whole seconds.
    clock.ms = Math.ceil(clock.ms / 1_000) * 1_000;
    const time = retryAfter === 'a date' ? new Date(clock.ms + waitMs).toUTCString() : retryAfter;
    responses.set('/busy', { status: 429, headers: { 'Retry-After': time } });
    await createPet('Emma');
    await until(() => at('/busy').length === 1);
    await until(async () => (await call<{ error?: string }[]>('GET', id, '/deliveries')).body[0]?.error !== undefined);
    const { body } = await call<{ dueAt: string; error: string }[]>('GET', id, '/deliveries');
    expect(Date.parse(body[0]?.dueAt ?? '') - clock.nowMs()).toBe(waitMs);
    expect(body[0]?.error).toBe('The receiver responded with 429.');
    await call('DELETE', id);
  });

  it('is disabled by 410, says so in the log, and continues from its place once it is enabled', async () => {
    const { id } = await create('/gone');
    responses.set('/gone', { status: 410 });
    await createPet('Fay');
    await until(async () => (await call<Webhook>('GET', id)).body.state === 'disabled');
    const { body: events } = await service.json<{ data: Webhook }[]>(`/v1/events?subject=webhook:${id}`, { key });
    expect(events.map(({ data }) => [data.state, data.reason])).toEqual([
      ['enabled', undefined],
      ['disabled', 'The receiver responded with 410.'],
    ]);
    responses.clear();
    await createPet('Gil');
    clock.advanceSeconds(10);
    const later = await create('/later');
    expect((await call<Webhook>('PATCH', id, '', { enabled: true })).body.state).toBe('enabled');
    await until(() => at('/gone').length === 3);
    const names = at('/gone').map(({ body }) => (JSON.parse(body) as { data: { name: string } }).data.name);
    expect(names.toSorted()).toEqual(['Fay', 'Fay', 'Gil']);
    // One that was created meanwhile gets nothing from before.
    const petId = await createPet('Hal');
    await until(() => at('/later').length > 0);
    const { body: deliveries } = await call<object[]>('GET', later.id, '/deliveries');
    expect(deliveries).toMatchObject([{ subject: `pet:${petId}` }]);
    for (const one of [id, later.id]) await call('DELETE', one);
  });

  it('is disabled once it has failed for 72 hours, in which nothing succeeded', async () => {
    const { id } = await create('/shaky');
    const errors = async () =>
      (await call<{ error?: string }[]>('GET', id, '/deliveries')).body.map(({ error }) => error);
    const stateAfter = async (name: string) => {
      await createPet(name);
      await until(async () => (await errors()).at(-1) !== undefined);
      await readAnew();
      return (await call<Webhook>('GET', id)).body.state;
    };
    responses.set('/shaky', { status: 500 });
    expect(await stateAfter('Kim')).toBe('enabled');
    responses.clear();
    clock.advanceSeconds(6);
    await createPet('Lou');
    await until(async () => (await call<unknown[]>('GET', id, '/deliveries?state=delivered')).body.length === 2);
    await readAnew();
    clock.advanceSeconds(73 * 3_600);
    responses.set('/shaky', { status: 500 });
    expect(await stateAfter('Mo')).toBe('enabled');
    clock.advanceSeconds(71 * 3_600);
    expect(await stateAfter('Mia')).toBe('enabled');
    clock.advanceSeconds(2 * 3_600);
    await createPet('Nia');
    await until(async () => (await call<Webhook>('GET', id)).body.state === 'disabled');
    // Enabled again, it has as long.
    await call('PATCH', id, '', { enabled: true });
    expect(await stateAfter('Ola')).toBe('enabled');
    await call('DELETE', id);
  });

  it('is not disabled for 72 hours of failures by an attempt that began before it was enabled again', async () => {
    const { id } = await create('/late');
    responses.set('/late', { status: 500 });
    const attempts = async () =>
      (await call<{ attempts: number }[]>('GET', id, '/deliveries')).body.map((delivery) => delivery.attempts);
    await createPet('Pia');
    await until(async () => (await attempts())[0] === 1);
    await readAnew();
    unanswered.add('Pia');
    clock.advanceSeconds(73 * 3_600);
    await createPet('Zoe');
    await until(() => at('/late').filter(({ body }) => body.includes('Pia')).length === 2);
    for (const enabled of [false, true]) await call('PATCH', id, '', { enabled });
    unanswered.clear();
    receiver.closeConnections();
    await until(async () => (await attempts())[0] === 2);
    expect((await call<Webhook>('GET', id)).body.state).toBe('enabled');
    await call('DELETE', id);
  });

  it('delivers only what the key can read, and stops with the key', async () => {
    const reader = await service.createKey({
      ...AMPLE,
      account: 'readers',
      scopes: ['webhooks:manage', 'orders:read'],
    });
    const refused = await service.json('/v1/webhooks', {
      key: reader.key,
      body: { url: receiver.address, types: ['pet.*'] },
    });
    expect(refused).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('It lacks pets:read') },
    });
    const other = await service.createKey({ ...FULL, account: 'readers' });
    await create('/stopping', ['*'], other.key);
    await createPet('Hal');
    await until(() => at('/stopping').some(({ body }) => body.includes('Hal')));
    await service.request(`/v1/keys/${other.id}`, { key: other.key, method: 'DELETE' });
    const { id } = await create('/running');
    await createPet('Ivy');
    await until(() => at('/running').length === 1);
    expect(at('/stopping').filter(({ body }) => body.includes('Ivy'))).toEqual([]);
    await call('DELETE', id);
  });

  it('follows no redirect, and tells nothing of the response', async () => {
    const { id } = await create('/moved');
    responses.set('/moved', { status: 302, headers: { Location: `${receiver.address}/inside` } });
    const { body } = await call('POST', id, '/test');
    expect(body).toEqual({ delivered: false, error: 'The receiver responded with 302.' });
    expect(at('/inside')).toEqual([]);
    await call('DELETE', id);
  });

  it('repeats deliveries with the same identifiers', async () => {
    const { id } = await create('/again');
    const since = new Date(clock.nowMs()).toISOString();
    await createPet('Jo');
    await until(() => at('/again').length === 1);
    await until(async () => (await call<unknown[]>('GET', id, '/deliveries?state=delivered')).body.length === 1);
    expect((await call('POST', id, '/replay', { since, state: 'delivered' })).body).toEqual({ repeated: 1 });
    await until(() => at('/again').length === 2);
    expect(at('/again')[1]?.headers['webhook-id']).toBe(at('/again')[0]?.headers['webhook-id']);
    await call('DELETE', id);
  });

  it('changes and deletes nothing if If-Match does not name its ETag', async () => {
    const { id } = await create('/conditional');
    const path = `/v1/webhooks/${id}`;
    const etag = String((await service.request(path, { key })).headers.get('etag'));
    const send = async (method: string, ifMatch: string, body?: object) =>
      (await service.json(path, { key, method, headers: { 'If-Match': ifMatch }, ...(body && { body }) })).status;
    const change = { types: ['order.*'] };
    expect([await send('PATCH', '"another"', change), await send('DELETE', '"another"')]).toEqual([412, 412]);
    expect((await service.request(path, { key })).headers.get('etag')).toBe(etag);
    expect([await send('PATCH', etag, change), await send('DELETE', etag)]).toEqual([200, 412]);
    expect(await send('DELETE', '*')).toBe(204);
  });

  it('allows an account 20, which others do not see', async () => {
    const own = await service.key({ ...FULL, account: 'many' });
    const made = [];
    for (let n = 0; n < 20; n += 1) made.push(await create('/many', ['order.*'], own));
    const refused = await service.json('/v1/webhooks', { key: own, body: { url: receiver.address } });
    expect(refused).toMatchObject({ status: 409, body: { code: 'webhook_limit_reached' } });
    expect((await call('GET', made[0]?.id ?? 0)).status).toBe(404);
    expect((await call<unknown[]>('GET', 0, '')).status).toBe(404);
  });
});
