import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ask } from '../support/http.js';
import { metricsOf, valueIn } from '../support/metrics.js';
import { random } from '../support/random.js';
import { RudeRequests } from '../support/rude-requests.js';
import { shareProcess } from '../support/share-process.js';
import { until } from '../support/until.js';

const CONNECTIONS = Number(process.env['RUDE_CONNECTIONS'] ?? 1_000);
const SEED = Number(process.env['RUDE_SEED'] ?? Date.now() % 2 ** 31);
const AT_ONCE = 100;
/** A response seldom takes longer, and whoever waits for none goes on. */
const PATIENCE_MS = 100;
const MOST_RESIDENT_BYTES = 280 * 1024 * 1024;

const below = random(SEED);
const shared = shareProcess({ LOG_LEVEL: 'warn' });
let requests: RudeRequests;

beforeAll(() => {
  process.stdout.write(`Rude clients: RUDE_SEED=${SEED}\n`);
  requests = new RudeRequests(below, shared.key);
});

const gauge = async (name: string) => valueIn(await metricsOf(shared.service.port), name);

/** When a client leaves: right away, when it has sent everything, at the first byte of a response, or some time later. */
const MOMENTS = [
  () => undefined,
  (_socket: Socket, sent: Promise<void>) => sent,
  (socket: Socket) => Promise.race([once(socket, 'data'), delay(PATIENCE_MS)]),
  (socket: Socket) => Promise.race([once(socket, 'close'), delay(below(PATIENCE_MS))]),
] as const;

const WAYS = [
  (socket: Socket) => socket.end(),
  (socket: Socket) => socket.resetAndDestroy(),
  (socket: Socket) => socket.destroy(),
] as const;

async function rudeClient(): Promise<void> {
  const pieces = requests.next();
  const moment = MOMENTS[below(MOMENTS.length)];
  const way = WAYS[below(WAYS.length)];
  const isReading = below(4) !== 0;
  const socket = connect({ port: shared.service.port, host: '127.0.0.1', noDelay: true });
  socket.on('error', () => undefined);
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  if (isReading) socket.resume();
  const sent = (async () => {
    for (const piece of pieces) {
      if (!socket.writable) return;
      socket.write(piece);
      await delay(1);
    }
  })();
  // The service may close or reset the connection first.
  await Promise.resolve(moment?.(socket, sent)).catch(() => undefined);
  way?.(socket);
  await Promise.race([once(socket, 'close').catch(() => undefined), delay(PATIENCE_MS)]);
  socket.destroy();
  await sent;
}

describe(`${CONNECTIONS} rude clients`, () => {
  it('neither end the process nor make it fail, and leave nothing behind', async () => {
    const { service } = shared;
    const descriptors = await gauge('process_open_fds');
    let left = CONNECTIONS;
    const one = async () => {
      while (left > 0) {
        left -= 1;
        await rudeClient();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));

    expect((await ask(service.port, { path: '/health/ready' })).status).toBe(200);
    const failed = (await metricsOf(service.port)).match(
      /^http_server_request_duration_seconds_count\{.*http_response_status_code="5\d\d"\} .*$/gm,
    );
    expect(failed).toBeNull();
    expect(service.output()).not.toMatch(/"level":"(?:error|fatal)"/);
    await until(async () => (await gauge('process_open_fds')) <= descriptors);
    // V8 returns memory when it collects garbage, and that takes requests.
    await until(async () => (await gauge('process_resident_memory_bytes')) < MOST_RESIDENT_BYTES);
  });
});
