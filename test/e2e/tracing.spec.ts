import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import { OnEvent } from '@nestjs/event-emitter';
import { BeforeCommit } from '../../src/index.js';
import { VERSION } from '../../src/platform/config/env.js';
import { loadEnv } from '../../src/platform/config/load-env.js';
import { startTracing } from '../../src/platform/tracing/start-tracing.js';
import { startApp, type TestApp } from '../support/app.js';
import { onPostgres } from '../support/databases.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { attributesOf, OtlpReceiver, type Span } from '../support/otlp-receiver.js';
import { RedisServer } from '../support/servers/redis-server.js';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const CLIENT_SPAN_ID = '00f067aa0ba902b7';
/** Kinds in OTLP. */
const SERVER = 2;
const CLIENT = 3;

@Injectable()
class Listener {
  @BeforeCommit('pet.changed')
  check(): void {}

  @OnEvent('pet.changed')
  notice(): void {}
}

@Module({ providers: [Listener] })
class ListenerModule {}

const receiver = new OtlpReceiver();
let redis: RedisServer;
let service: TestApp;
let endTracing: () => Promise<void>;
let key: string;
let spans: readonly Span[];

const named = (name: string) => spans.filter((span) => span.name === name);

describeWithRedis('a traced service', () => {
  beforeAll(async () => {
    redis = await RedisServer.start();
    const env = { ...redis.env, OTEL_EXPORTER_OTLP_ENDPOINT: await receiver.start(), REVISION: 'abc123' };
    endTracing = await startTracing(loadEnv(env));
    service = await startApp({ env, extensions: [{ module: ListenerModule }] });
    key = await service.key();
    const { body } = await service.json<{ id: number }>('/v1/pets', { key, body: { name: 'Rex', categoryId: 1 } });
    await service.request(`/v1/pets/${body.id}`, {
      key,
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json', traceparent: `00-${TRACE_ID}-${CLIENT_SPAN_ID}-01` },
      body: '{"status":"sold"}',
    });
    await service.request(`/v1/${key}?key=${key}`, { key });
    await service.stop();
    await endTracing();
    spans = receiver.spans.filter(({ traceId }) => traceId === TRACE_ID);
  });
  afterAll(async () => {
    await receiver.stop();
    await redis.stop();
  });

  it('exports the request as a server span of the trace that the client began', () => {
    const [request, ...others] = named('PATCH /v1/pets/:petId');
    expect(others).toEqual([]);
    expect(request).toMatchObject({ kind: SERVER, parentSpanId: CLIENT_SPAN_ID });
    expect(attributesOf(request ?? { attributes: [] })).toMatchObject({
      'http.request.method': 'PATCH',
      'http.route': '/v1/pets/:petId',
      'http.response.status_code': 200,
    });
  });

  it('exports admission, statements, Redis and events as its children', () => {
    const [request] = named('PATCH /v1/pets/:petId');
    const [admission] = named('admission');
    expect(admission?.parentSpanId).toBe(request?.spanId);
    const [script] = named('EVALSHA admit');
    expect(script).toMatchObject({ kind: CLIENT, parentSpanId: admission?.spanId });
    const [update] = named('UPDATE pets');
    expect(update).toMatchObject({ kind: CLIENT, parentSpanId: request?.spanId });
    expect(attributesOf(update ?? { attributes: [] })).toMatchObject({
      'db.system.name': onPostgres ? 'postgresql' : 'sqlite',
      'db.operation.name': 'UPDATE',
      'db.collection.name': 'pets',
      'db.query.text': expect.stringContaining('UPDATE "pets"'),
    });
    expect(named('before commit pet.changed')).toMatchObject([{ parentSpanId: request?.spanId }]);
    expect(named('event pet.changed')).toMatchObject([{ parentSpanId: request?.spanId }]);
  });

  it('names itself, its version and the commit', () => {
    expect(receiver.resources[0]).toMatchObject({
      'service.name': 'petstore',
      'service.version': VERSION,
      'vcs.ref.head.revision': 'abc123',
    });
  });

  it('begins a trace for a request without one, and exports no path, which may contain a key', () => {
    expect(receiver.spans.filter(({ name }) => name === 'POST /v1/pets')).toHaveLength(1);
    expect(receiver.spans.filter(({ name }) => name === 'GET unmatched')).toHaveLength(1);
    expect(JSON.stringify(receiver.requests)).not.toContain(key);
  });
});
