import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, type MessageEvent, Module, Sse } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { NEVER, type Observable, startWith, Subject, takeUntil } from 'rxjs';
import type { FastifyInstance } from 'fastify';
import Sqlite from 'sqlite-driver';
import { Public } from '../../src/index.js';
import { ask } from '../support/http.js';
import { insertKey } from '../support/insert-key.js';
import { OtlpReceiver } from '../support/otlp-receiver.js';
import { linesOf, type MainProgram, startMain } from '../support/main-program.js';
import { openRaw } from '../support/raw.js';
import { Folders } from '../support/temporary.js';
import { until } from '../support/until.js';

let inProgress = 0;
let finish: () => void = () => undefined;
let isDestroyed = false;

/** Its requests take as long as the test wants, and must not come after its end. */
@Controller('pumps')
class PumpsController {
  private readonly closing = new Subject<void>();

  constructor({ httpAdapter }: HttpAdapterHost) {
    const server: FastifyInstance = httpAdapter.getInstance();
    server.addHook('preClose', async () => this.closing.next());
  }

  @Get()
  @Public()
  get(): object {
    if (isDestroyed) throw new Error('The provider was destroyed.');
    return {};
  }

  @Sse('stream')
  @Public()
  stream(): Observable<MessageEvent> {
    return NEVER.pipe(startWith({ data: '0' }), takeUntil(this.closing));
  }

  @Get('slow')
  @Public()
  async slow(): Promise<object> {
    inProgress += 1;
    await new Promise<void>((resolve) => (finish = resolve));
    return { isDestroyed };
  }

  onModuleDestroy(): void {
    isDestroyed = true;
  }
}

@Module({ controllers: [PumpsController] })
class PumpsModule {}

const EXTENSIONS = { extensions: [{ module: PumpsModule }] };

const folders = new Folders();
let program: MainProgram;

afterEach(async () => {
  await program.stop();
  inProgress = 0;
  isDestroyed = false;
});
afterAll(() => folders.remove());

const open = () => openRaw(program.port);
const LIVE = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';
const BODY = '{"name":"late","categoryId":1}';

describe('a service that gets SIGTERM', () => {
  it('ends responses that wait for events', async () => {
    const folder = folders.make();
    const url = `sqlite:${join(folder, 'petstore.sqlite')}`;
    program = await startMain(folder, { DATABASE_URL: url });
    const { key } = await insertKey(url);
    const { socket, received, closed } = open();
    socket.write(`GET /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nPrefer: wait=30\r\n\r\n`);
    await once(socket, 'connect');
    program.signal('SIGTERM');
    expect(await program.ended).toBe(0);
    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 200 [^]*preference-applied: wait=30\r\n[^]*\r\n\r\n\[\]$/i);
  });

  it('is not ready, completes the requests of open connections, closes them, and exits with 0', async () => {
    const folder = folders.make();
    const url = `sqlite:${join(folder, 'petstore.sqlite')}`;
    program = await startMain(folder, { DATABASE_URL: url });
    const { key } = await insertKey(url);
    const [idle, kept, late] = [open(), open(), open()];
    for (const { socket, received } of [idle, kept]) {
      socket.write(LIVE);
      await until(() => received().startsWith('HTTP/1.1 200 '));
    }
    late.socket.write(
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${BODY.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    await until(() => late.received() === 'HTTP/1.1 100 Continue\r\n\r\n');
    late.socket.write(BODY.slice(0, 5));

    program.signal('SIGTERM');
    const ready = await ask(program.port, { path: '/health/ready' });
    expect([ready.status, ready.headers.get('retry-after')]).toEqual([503, '1']);
    kept.socket.write(LIVE);
    await until(() => kept.received().split('HTTP/1.1 200 ').length > 2);
    const told = kept.received().toLowerCase();
    expect(told.match(/connection: \S+/g)).toEqual(['connection: keep-alive', 'connection: close']);
    late.socket.write(BODY.slice(5));
    expect(await program.ended).toBe(0);
    await Promise.all([idle, kept, late].map(({ closed }) => closed));
    expect(late.received()).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 [^]*connection: close/i);
    await expect(fetch(`${program.origin}/health/live`)).rejects.toThrow('fetch failed');
    const database = new Sqlite(join(folder, 'petstore.sqlite'), { readonly: true });
    expect(database.prepare("SELECT count(*) FROM pets WHERE name = 'late'").pluck().get()).toBe(1);
    database.close();
    expect(linesOf(program.output(), '"Service"')).toMatchObject([
      { message: 'listening' },
      { level: 'info', message: 'stopping', signal: 'SIGTERM' },
      { level: 'info', message: 'stopped', durationMs: expect.any(Number) },
    ]);
    expect(linesOf(program.output(), '"error"')).toEqual([]);
  });

  it('responds until it closes, for two seconds in which load balancers see that it is not ready', async () => {
    program = await startMain(folders.make(), { DATABASE_URL: 'sqlite::memory:' }, EXTENSIONS);
    const startMs = performance.now();
    program.signal('SIGTERM');
    const statuses = new Set<number>();
    for (let isOpen = true; isOpen; await delay(5)) {
      const response = await fetch(`${program.origin}/v1/pumps`).catch(() => undefined);
      isOpen = response !== undefined;
      if (response !== undefined) statuses.add(response.status);
    }
    expect(await program.ended).toBe(0);
    expect(performance.now() - startMs).toBeGreaterThan(1_900);
    expect([...statuses]).toEqual([200]);
  });
});

describe('a service that stops', () => {
  it('destroys providers after the requests that use them', async () => {
    program = await startMain(folders.make(), { DATABASE_URL: 'sqlite::memory:' }, EXTENSIONS);
    const slow = fetch(`${program.origin}/v1/pumps/slow`);
    await until(() => inProgress === 1);
    program.signal('SIGINT');
    await until(
      async () => (await ask(program.port, { path: '/health/ready' }).catch(() => undefined))?.status !== 200,
    );
    expect(isDestroyed).toBe(false);
    finish();
    expect(await (await slow).json()).toEqual({ isDestroyed: false });
    expect(await program.ended).toBe(0);
    expect(isDestroyed).toBe(true);
  });

  it('is not held up by a stream that an extension ends', async () => {
    program = await startMain(folders.make(), { DATABASE_URL: 'sqlite::memory:' }, EXTENSIONS);
    const stream = await fetch(`${program.origin}/v1/pumps/stream`);
    expect(await program.stop()).toBe(0);
    expect(await stream.text()).toContain('data: 0');
  });

  it.each(['uncaughtException', 'unhandledRejection'] as const)(
    'because of an error that nothing handled logs it, answers the requests in progress, and exits with 1: %s',
    async (event) => {
      program = await startMain(folders.make(), { DATABASE_URL: 'sqlite::memory:' }, EXTENSIONS);
      const slow = fetch(`${program.origin}/v1/pumps/slow`);
      await until(() => inProgress === 1);
      program.fail(new Error('A pipe broke.'), event);
      finish();
      expect((await slow).status).toBe(200);
      expect(await program.ended).toBe(1);
      expect(linesOf(program.output(), 'A pipe broke.')).toMatchObject([
        { level: 'fatal', error: expect.stringMatching(/^Error: A pipe broke\.\n +at /) },
      ]);
    },
  );

  it('exports the traces that are left', async () => {
    const receiver = new OtlpReceiver();
    const env = { DATABASE_URL: 'sqlite::memory:', OTEL_EXPORTER_OTLP_ENDPOINT: await receiver.start() };
    program = await startMain(folders.make(), env);
    await ask(program.port, { path: '/v1/pets' });
    expect(await program.stop()).toBe(0);
    expect(receiver.spans.map(({ name }) => name)).toContain('GET /v1/pets');
    await receiver.stop();
  });

  it('is not held up by a collector of traces that does not respond, which the log says', async () => {
    const env = { DATABASE_URL: 'sqlite::memory:', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' };
    program = await startMain(folders.make(), env);
    await ask(program.port, { path: '/v1/pets' });
    expect(await program.stop()).toBe(0);
    expect(program.output()).toContain('"message":"traces were not exported","reason":"');
    expect(program.output()).toContain('"message":"stopped"');
    expect(linesOf(program.output(), '"fatal"')).toEqual([]);
  });
});
