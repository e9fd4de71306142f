// @postgres: deliveries are claimed from another table.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook as Verifier } from 'standardwebhooks';
import { WebhookDeliveries } from '../../src/webhooks/webhook-deliveries.js';
import { FakeClock } from '../support/app.js';
import { AMPLE, key, newPet, service, shareApp } from '../support/folders.js';
import { until } from '../support/until.js';
import { type Webhook, WebhookReceiver } from '../support/webhook-receiver.js';
import { callHook, createHook, deliveriesOf, removeHooks } from '../support/webhooks.js';

const FULL = {
  ...AMPLE,
  scopes: ['pets:read', 'pets:write', 'orders:read', 'events:read', 'keys:manage', 'webhooks:manage'],
};
const clock = new FakeClock(Date.now());
const receiver = new WebhookReceiver();
const { responses, unanswered } = receiver;

const create = (path: string, types?: readonly string[], as?: string) => createHook(receiver.address + path, types, as);
const stateOf = async (hook: Webhook) => (await callHook('GET', hook)).body.state;
/** Otherwise webhooks are read once a second. */
const readAnew = () => service.app.get(WebhookDeliveries, { strict: false }).subscriptions(true);
const at = (path: string) => receiver.at(path);

beforeAll(() => receiver.start());
afterAll(() => receiver.stop());

describe('with an address inside that is allowed', () => {
  shareApp({ clock, env: receiver.env }, FULL);
  beforeEach(() => receiver.reset());
  afterEach(removeHooks);

  it('delivers events with the bytes of the feed, signed according to Standard Webhooks', async () => {
    const hook = await create('/signed');
    expect(hook.secret).toMatch(/^whsec_[\w+/]{32}$/);
    const petId = await newPet('Ada');
    await until(() => at('/signed').length === 1);
    const [first] = at('/signed');
    const headers = Object(first?.headers) as Record<string, string>;
    const body = String(first?.body);
    // The verifier refuses what is older than five minutes by the clock of the system, which the test's is close to.
    const verified = new Verifier(hook.secret).verify(body, headers);
    expect(verified).toMatchObject({ type: 'pet.created', data: { name: 'Ada' } });
    const feed = await (await service.request(`/v1/events?subject=pet:${petId}`, { key })).text();
    expect(feed).toBe(`[${body}]`);
    expect(headers['webhook-id']).toBe((JSON.parse(body) as { id: string }).id);
    const deliveries = await deliveriesOf(hook, '?state=delivered');
    expect(deliveries).toMatchObject([{ state: 'delivered', subject: `pet:${petId}`, attempts: 1 }]);
    expect(await deliveriesOf(hook, '?state=failed')).toEqual([]);
  });

  it('goes on with other subjects while the receiver does not respond for one', async () => {
    await create('/slow');
    unanswered.add('Max');
    await newPet('Max');
    await until(() => at('/slow').length === 1);
    for (const name of ['Ned', 'Oda', 'Pia']) {
      await newPet(name);
      await until(() => at('/slow').some(({ body }) => body.includes(name)));
    }
    expect(at('/slow')).toHaveLength(4);
    unanswered.clear();
    receiver.closeConnections();
  });

  it.each([
    ['600', 600_000],
    ['999999999', 86_400_000],
    ['a date', 600_000],
  ])('waits as long as Retry-After says, but a day at most: %s', async (retryAfter, waitMs) => {
    const hook = await create('/busy');
    // Dates in headers have whole seconds.
    clock.ms = Math.ceil(clock.ms / 1_000) * 1_000;
    const time = retryAfter === 'a date' ? new Date(clock.ms + waitMs).toUTCString() : retryAfter;
    responses.set('/busy', { status: 429, headers: { 'Retry-After': time } });
    await newPet('Emma');
    await until(() => at('/busy').length === 1);
    await until(async () => (await deliveriesOf(hook))[0]?.error !== undefined);
    const [delivery] = await deliveriesOf(hook);
    expect(Date.parse(delivery?.dueAt ?? '') - clock.nowMs()).toBe(waitMs);
    expect(delivery?.error).toBe('The receiver responded with 429.');
  });

  it('is disabled by 410, says so in the log, and continues from its place once it is enabled', async () => {
    const hook = await create('/gone');
    responses.set('/gone', { status: 410 });
    await newPet('Fay');
    await until(async () => (await stateOf(hook)) === 'disabled');
    const { body: events } = await service.json<{ data: Webhook }[]>(`/v1/events?subject=webhook:${hook.id}`, { key });
    expect(events.map(({ data }) => [data.state, data.reason])).toEqual([
      ['enabled', undefined],
      ['disabled', 'The receiver responded with 410.'],
    ]);
    responses.clear();
    await newPet('Gil');
    clock.advanceSeconds(10);
    const later = await create('/later');
    expect((await callHook('PATCH', hook, '', { enabled: true })).body.state).toBe('enabled');
    await until(() => at('/gone').length === 3);
    const names = at('/gone').map(({ body }) => (JSON.parse(body) as { data: { name: string } }).data.name);
    expect(names.toSorted()).toEqual(['Fay', 'Fay', 'Gil']);
    // One that was created meanwhile gets nothing from before.
    const petId = await newPet('Hal');
    await until(() => at('/later').length > 0);
    expect(await deliveriesOf(later)).toMatchObject([{ subject: `pet:${petId}` }]);
  });

  it('is disabled once it has failed for 72 hours, in which nothing succeeded', async () => {
    const hook = await create('/shaky');
    const stateAfter = async (name: string) => {
      const subject = `pet:${await newPet(name)}`;
      await until(async () =>
        (await deliveriesOf(hook)).some((one) => one.subject === subject && one.error !== undefined),
      );
      await readAnew();
      return stateOf(hook);
    };
    responses.set('/shaky', { status: 500 });
    expect(await stateAfter('Kim')).toBe('enabled');
    responses.clear();
    clock.advanceSeconds(6);
    await newPet('Lou');
    await until(async () => (await deliveriesOf(hook, '?state=delivered')).length === 2);
    await readAnew();
    clock.advanceSeconds(73 * 3_600);
    responses.set('/shaky', { status: 500 });
    expect(await stateAfter('Mo')).toBe('enabled');
    clock.advanceSeconds(71 * 3_600);
    expect(await stateAfter('Mia')).toBe('enabled');
    clock.advanceSeconds(2 * 3_600);
    await newPet('Nia');
    await until(async () => (await stateOf(hook)) === 'disabled');
    // Enabled again, it has as long.
    await callHook('PATCH', hook, '', { enabled: true });
    expect(await stateAfter('Ola')).toBe('enabled');
  });

  it('is not disabled for 72 hours of failures by an attempt that began before it was enabled again', async () => {
    const hook = await create('/late');
    responses.set('/late', { status: 500 });
    const isTried = async (attempts: number) => (await deliveriesOf(hook))[0]?.attempts === attempts;
    await newPet('Pia');
    await until(() => isTried(1));
    await service.database.query(`UPDATE "webhooks" SET "failing_since" = 1 WHERE "id" = ${hook.id}`);
    await readAnew();
    unanswered.add('Pia');
    clock.advanceSeconds(6);
    await newPet('Zoe');
    await until(() => at('/late').filter(({ body }) => body.includes('Pia')).length === 2);
    for (const enabled of [false, true]) await callHook('PATCH', hook, '', { enabled });
    unanswered.clear();
    receiver.closeConnections();
    await until(() => isTried(2));
    expect(await stateOf(hook)).toBe('enabled');
  });

  it('is not disabled by the first failure after 72 hours in which nothing was sent, as while its key is paused', async () => {
    const hook = await create('/paused');
    responses.set('/paused', { status: 500 });
    const areTried = async (...expected: readonly number[]) =>
      (await deliveriesOf(hook)).map(({ attempts }) => attempts).join() === expected.join();
    await newPet('Una');
    await until(() => areTried(1));
    await readAnew();
    clock.advanceSeconds(73 * 3_600);
    await newPet('Val');
    await until(() => areTried(2, 1));
    await readAnew();
    expect(await stateOf(hook)).toBe('enabled');
  });

  it('delivers only what the key can read, and stops with the key', async () => {
    const reader = await service.key({ ...AMPLE, account: 'readers', scopes: ['webhooks:manage', 'orders:read'] });
    const wanted = { url: receiver.address, types: ['pet.*'] };
    expect(await service.json('/v1/webhooks', { key: reader, body: wanted })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('It lacks pets:read') },
    });
    const other = await service.createKey({ ...FULL, account: 'readers' });
    await create('/stopping', ['*'], other.key);
    await newPet('Hal');
    await until(() => at('/stopping').some(({ body }) => body.includes('Hal')));
    await service.request(`/v1/keys/${other.id}`, { key: other.key, method: 'DELETE' });
    await create('/running');
    await newPet('Ivy');
    await until(() => at('/running').length === 1);
    expect(at('/stopping').filter(({ body }) => body.includes('Ivy'))).toEqual([]);
  });

  it('follows no redirect, and tells nothing of the response', async () => {
    const hook = await create('/moved');
    responses.set('/moved', { status: 302, headers: { Location: `${receiver.address}/inside` } });
    const { body } = await callHook('POST', hook, '/test');
    expect(body).toEqual({ delivered: false, error: 'The receiver responded with 302.' });
    expect(at('/inside')).toEqual([]);
  });

  it('repeats deliveries with the same identifiers', async () => {
    const hook = await create('/again');
    const since = new Date(clock.nowMs()).toISOString();
    await newPet('Jo');
    await until(() => at('/again').length === 1);
    await until(async () => (await deliveriesOf(hook, '?state=delivered')).length === 1);
    expect((await callHook('POST', hook, '/replay', { since, state: 'delivered' })).body).toEqual({ repeated: 1 });
    await until(() => at('/again').length === 2);
    expect(at('/again')[1]?.headers['webhook-id']).toBe(at('/again')[0]?.headers['webhook-id']);
  });

  it('changes and deletes nothing if If-Match does not name its ETag', async () => {
    const { id } = await create('/conditional');
    const path = `/v1/webhooks/${id}`;
    const etag = String((await service.request(path, { key })).headers.get('etag'));
    const send = async (method: string, ifMatch: string, body?: object) =>
      (await service.json(path, { key, method, headers: { 'If-Match': ifMatch }, body })).status;
    const change = { types: ['order.*'] };
    expect([await send('PATCH', '"another"', change), await send('DELETE', '"another"')]).toEqual([412, 412]);
    expect((await service.request(path, { key })).headers.get('etag')).toBe(etag);
    expect([await send('PATCH', etag, change), await send('DELETE', etag)]).toEqual([200, 412]);
    expect(await send('DELETE', '*')).toBe(204);
  });

  it('allows an account 20, which others do not see', async () => {
    const own = await service.key({ ...FULL, account: 'many' });
    const hook = await create('/many', ['order.*'], own);
    for (let n = 1; n < 20; n += 1) await create('/many', ['order.*'], own);
    const refused = await service.json('/v1/webhooks', { key: own, body: { url: receiver.address } });
    expect(refused).toMatchObject({ status: 409, body: { code: 'webhook_limit_reached' } });
    expect((await callHook('GET', hook)).status).toBe(404);
    expect((await callHook('GET', { ...hook, id: 0 })).status).toBe(404);
  });
});
