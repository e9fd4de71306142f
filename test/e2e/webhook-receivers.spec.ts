// @postgres: deliveries that are due are found by other plans.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeysService } from '../../src/accounts/keys/keys.service.js';
import { runAs } from '../../src/database/events/actor.js';
import { Database } from '../../src/index.js';
import { FakeClock, startApp } from '../support/app.js';
import { queryDatabase } from '../support/databases.js';
import { AMPLE, key, service, shareApp } from '../support/folders.js';
import { until } from '../support/until.js';
import { webhookSettings } from '../support/webhook-settings.js';

const FULL = { ...AMPLE, scopes: ['pets:read', 'pets:write', 'webhooks:manage'] };
const NO_CONTENT = 'HTTP/1.1 204 No Content\r\n\r\n';
const clock = new FakeClock(Date.now());
/** Paths of the requests, in their order. */
const received: string[] = [];
/** All that was received. */
let bytes = '';
/** What a receiver does with its connection, by the path. Default: it responds with 204. */
const behaviours = new Map<string, (socket: Socket) => unknown>();
const receiver = createServer((socket) => {
  socket
    .on('error', () => undefined)
    .on('data', (chunk: Buffer) => {
      bytes += chunk.toString();
      const path = /^POST (\S+)/.exec(chunk.toString())?.[1];
      if (path === undefined) return;
      received.push(path);
      const behave = behaviours.get(path);
      if (behave === undefined) socket.write(NO_CONTENT);
      else behave(socket);
    });
});
const env: Record<string, string> = {};
let address: string;

beforeAll(async () => {
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  const { port } = receiver.address() as AddressInfo;
  address = `http://127.0.0.1:${port}`;
  Object.assign(env, webhookSettings(port));
});
afterAll(() => void receiver.close());
beforeEach(() => {
  received.splice(0);
  behaviours.clear();
});
const removeHooks = () => service.app.get(Database).query('DELETE FROM "webhooks"');

const countOf = (path: string) => received.filter((one) => one === path).length;
const createHook = async (path: string, as = key) => {
  const body = { url: address + path, types: ['pet.*'] };
  return (await service.json<{ id: number }>('/v1/webhooks', { key: as, body })).body.id;
};
const createPet = async (name: string) =>
  (await service.json<{ id: number }>('/v1/pets', { key, body: { name, categoryId: 1 } })).body.id;
const hook = (method: string, id: number, rest = '', body?: object) =>
  service.json(`/v1/webhooks/${id}${rest}`, { key, method, ...(body === undefined ? {} : { body }) });

describe('a receiver', () => {
  afterEach(removeHooks);
  shareApp({ clock, env }, FULL);

  it.each<[string, (socket: Socket) => unknown, object]>([
    [
      'switches protocols',
      (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
      { delivered: false, error: 'The receiver closed the connection.' },
    ],
    [
      'closes at once',
      (socket) => socket.destroy(),
      { delivered: false, error: 'The receiver cannot be reached (ECONNRESET).' },
    ],
    [
      'does not speak HTTP',
      (socket) => socket.write('220 mail.example ESMTP\r\n'),
      { delivered: false, error: 'The receiver cannot be reached (HPE_INVALID_CONSTANT).' },
    ],
    [
      'sends a body without end',
      (socket) => {
        const more = () => void (socket.destroyed || socket.write('x'.repeat(65_536), more));
        socket.write('HTTP/1.1 200 OK\r\n\r\n', more);
      },
      { delivered: true },
    ],
  ])('that %s does not hold up the delivery', async (_name, behave, outcome) => {
    behaviours.set('/hostile', behave);
    const id = await createHook('/hostile');
    expect((await hook('POST', id, '/test')).body).toEqual(outcome);
  });

  it('that closes a connection while the next event is on its way gets it by another one at once', async () => {
    const served = new Set<Socket>();
    behaviours.set('/closing', (socket) => {
      if (served.has(socket)) return socket.destroy();
      served.add(socket);
      return socket.write(NO_CONTENT);
    });
    const id = await createHook('/closing');
    for (let n = 0; n < 3; n += 1) expect((await hook('POST', id, '/test')).body).toEqual({ delivered: true });
    expect([countOf('/closing'), served.size]).toEqual([5, 3]);
  });

  it('gets the bytes of the feed, of which the actor of a command line does not name the operator', async () => {
    const scopes = [...FULL.scopes, 'events:read', 'keys:manage'];
    const own = await service.key({ account: 'operated', scopes });
    await service.json('/v1/webhooks', { key: own, body: { url: `${address}/operated`, types: ['key.*'] } });
    const operator = service.app.get(KeysService);
    const { id } = await runAs('cli:ops@example.com', () => operator.createKey({ account: 'operated' }));
    await runAs('night-shift', () => operator.change(id, { name: 'Night' }));
    // Wakes the instance.
    await createPet('Hal');
    await until(() => countOf('/operated') === 2);
    const feed = await (await service.request(`/v1/events?subject=key:${id}`, { key: own })).text();
    const events = JSON.parse(feed) as { actor: string }[];
    expect(events.map(({ actor }) => actor)).toEqual(['cli', 'night-shift']);
    for (const event of events)
      expect([feed, bytes]).toEqual(Array(2).fill(expect.stringContaining(JSON.stringify(event))));
    const logged = await service.app
      .get(Database)
      .query(`SELECT "actor" FROM "event_log" WHERE "subject" = 'key:${id}'`);
    expect(logged).toMatchObject([{ actor: 'cli:ops@example.com' }, { actor: 'night-shift' }]);
  });

  it('that fails holds up no other, however many there are', async () => {
    behaviours.set('/failing', (socket) => socket.write('HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n'));
    const others = await service.key({ ...FULL, account: 'failing' });
    for (let n = 0; n < 20; n += 1) await createHook('/failing', others);
    const pet = await createPet('Ada');
    await until(() => countOf('/failing') === 20);
    // It has to wait for the first event of the pet.
    await service.json(`/v1/pets/${pet}`, { key, method: 'PATCH', body: { name: 'Bea' } });
    await createHook('/fine');
    await createPet('Cleo');
    await until(() => countOf('/fine') === 1);
    expect(countOf('/fine')).toBe(1);
  });

  it('that hangs holds up no other once it has failed, however many there are', async () => {
    const hanging = new Set<Socket>();
    let mostAtOnce = 0;
    behaviours.set('/hanging', (socket) => {
      hanging.add(socket.on('close', () => hanging.delete(socket)));
      mostAtOnce = Math.max(mostAtOnce, hanging.size);
    });
    const others = await service.key({ ...FULL, account: 'hanging' });
    for (let n = 0; n < 20; n += 1) await createHook('/hanging', others);
    await service.app.get(Database).query('UPDATE "webhooks" SET "failing_since" = 1 WHERE "url" LIKE \'%/hanging\'');
    await createHook('/well');
    await createPet('Dan');
    await until(() => countOf('/well') === 1);
    // Half of the subscriptions that are handled at the same time.
    expect(mostAtOnce).toBeLessThanOrEqual(8);
    behaviours.delete('/hanging');
    for (const socket of hanging) socket.write(NO_CONTENT);
    await until(() => countOf('/hanging') === 20);
  });

  it('that is disabled amid many deliveries gets no more after a moment, and the rest later', async () => {
    behaviours.set('/many', (socket) => setTimeout(() => socket.write(NO_CONTENT), 200));
    const id = await createHook('/many');
    await hook('PATCH', id, '', { enabled: false });
    await Promise.all(Array.from({ length: 100 }, (_, n) => createPet(`Eve ${n}`)));
    await hook('PATCH', id, '', { enabled: true });
    await createPet('Fay');
    await until(() => countOf('/many') > 0);
    await hook('PATCH', id, '', { enabled: false });
    await delay(1_500);
    const count = countOf('/many');
    expect(count).toBeLessThan(60);
    await delay(500);
    expect(countOf('/many')).toBe(count);
    behaviours.clear();
    await hook('PATCH', id, '', { enabled: true });
    await createPet('Gil');
    await until(() => countOf('/many') === 102);
  });
});

it('an attempt that a stop interrupts does not count', async () => {
  behaviours.set('/hanging', () => undefined);
  const app = await startApp({ env });
  const own = await app.key(FULL);
  await app.json('/v1/webhooks', { key: own, body: { url: `${address}/hanging`, types: ['pet.*'] } });
  await app.json('/v1/pets', { key: own, body: { name: 'Hal', categoryId: 1 } });
  await until(() => countOf('/hanging') === 1);
  await app.stop({ keepData: true });
  const found = await queryDatabase(app.folder, 'SELECT "state", "attempts" FROM "event_deliveries"');
  expect(found.map((row) => Object.values(row).map(String))).toEqual([['pending', '0']]);
  const again = await startApp({ folder: app.folder });
  await again.stop();
});
