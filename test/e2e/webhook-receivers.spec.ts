// @postgres: deliveries that are due are found by other plans.
import { createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeysService } from '../../src/accounts/keys/keys.service.js';
import { runAs } from '../../src/database/events/actor.js';
import { Database } from '../../src/index.js';
import { FakeClock, startApp } from '../support/app.js';
import { queryDatabase } from '../support/databases.js';
import { AMPLE, key, newPet, service, shareApp } from '../support/folders.js';
import { listen } from '../support/listen.js';
import { until } from '../support/until.js';
import { webhookSettings } from '../support/webhook-settings.js';
import { callHook, createHook } from '../support/webhooks.js';

const FULL = { ...AMPLE, scopes: ['pets:read', 'pets:write', 'webhooks:manage'] };
const respond = (socket: Socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n');
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
      (behaviours.get(path) ?? respond)(socket);
    });
});
const env: Record<string, string> = {};
let address: string;

beforeAll(async () => {
  const port = await listen(receiver);
  address = `http://127.0.0.1:${port}`;
  Object.assign(env, webhookSettings(port));
});
afterAll(() => void receiver.close());
beforeEach(() => {
  received.splice(0);
  behaviours.clear();
});

const countOf = (path: string) => received.filter((one) => one === path).length;
const create = (path: string, as?: string) => createHook(address + path, ['pet.*'], as);

describe('a receiver', () => {
  afterEach(() => service.app.get(Database).query('DELETE FROM "webhooks"'));
  shareApp({ clock, env }, FULL);

  it.each<[string, (socket: Socket) => unknown, string | undefined]>([
    [
      'switches protocols',
      (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
      'The receiver closed the connection.',
    ],
    ['closes at once', (socket) => socket.destroy(), 'The receiver cannot be reached (ECONNRESET).'],
    [
      'does not speak HTTP',
      (socket) => socket.write('220 mail.example ESMTP\r\n'),
      'The receiver cannot be reached (HPE_INVALID_CONSTANT).',
    ],
    [
      'sends a body without end',
      (socket) => {
        const more = () => void (socket.destroyed || socket.write('x'.repeat(65_536), more));
        socket.write('HTTP/1.1 200 OK\r\n\r\n', more);
      },
      undefined,
    ],
    [
      'closes in the middle of its body',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nok'),
      undefined,
    ],
  ])('that %s does not hold up the delivery', async (_name, behave, error) => {
    behaviours.set('/hostile', behave);
    const hook = await create('/hostile');
    expect((await callHook('POST', hook, '/test')).body).toEqual({ delivered: error === undefined, error });
  });

  it('that closes a connection while the next event is on its way gets it by another one at once', async () => {
    const served = new Set<Socket>();
    behaviours.set('/closing', (socket) => {
      if (served.has(socket)) return socket.destroy();
      served.add(socket);
      return respond(socket);
    });
    const hook = await create('/closing');
    for (let n = 0; n < 3; n += 1) expect((await callHook('POST', hook, '/test')).body).toEqual({ delivered: true });
    expect([countOf('/closing'), served.size]).toEqual([5, 3]);
  });

  it('gets the bytes of the feed, of which the actor of a command line does not name the operator', async () => {
    const scopes = [...FULL.scopes, 'events:read', 'keys:manage'];
    const own = await service.key({ account: 'operated', scopes });
    await createHook(`${address}/operated`, ['key.*'], own);
    const operator = service.app.get(KeysService);
    const { id } = await runAs('cli:ops@example.com', () => operator.createKey({ account: 'operated' }));
    await runAs('night-shift', () => operator.change(id, { name: 'Night' }));
    // Wakes the instance.
    await newPet('Hal');
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
    for (let n = 0; n < 20; n += 1) await create('/failing', others);
    const pet = await newPet('Ada');
    await until(() => countOf('/failing') === 20);
    // It has to wait for the first event of the pet.
    await service.json(`/v1/pets/${pet}`, { key, method: 'PATCH', body: { name: 'Bea' } });
    await create('/fine');
    await newPet('Cleo');
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
    for (let n = 0; n < 20; n += 1) await create('/hanging', others);
    await service.app.get(Database).query('UPDATE "webhooks" SET "failing_since" = 1 WHERE "url" LIKE \'%/hanging\'');
    await create('/well');
    await newPet('Dan');
    await until(() => countOf('/well') === 1);
    // Half of the subscriptions that are handled at the same time.
    expect(mostAtOnce).toBeLessThanOrEqual(8);
    behaviours.delete('/hanging');
    for (const socket of hanging) respond(socket);
    await until(() => countOf('/hanging') === 20);
  });

  it('that is disabled amid many deliveries gets no more after a moment, and the rest later', async () => {
    behaviours.set('/many', (socket) => setTimeout(respond, 200, socket));
    const hook = await create('/many');
    const enable = (enabled: boolean) => callHook('PATCH', hook, '', { enabled });
    await enable(false);
    await Promise.all(Array.from({ length: 100 }, (_, n) => newPet(`Eve ${n}`)));
    await enable(true);
    await newPet('Fay');
    await until(() => countOf('/many') > 0);
    await enable(false);
    await delay(1_500);
    const count = countOf('/many');
    expect(count).toBeLessThan(60);
    await delay(500);
    expect(countOf('/many')).toBe(count);
    behaviours.clear();
    await enable(true);
    await newPet('Gil');
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
