import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { files } from './readme.js';

type Answer = readonly [status: number, headers: Record<string, string>, body: string];

const REFUSED: Answer = [429, { 'Retry-After': '1' }, '{"code":"rate_limit_exceeded","message":"Wait 1 s.","status":429}'];
const AWAY: Answer = [503, { 'Retry-After': '1' }, '{"code":"service_unavailable","message":"Try again.","status":503}'];

const folder = mkdtempSync(join(tmpdir(), 'petstore-client-'));
const server = createServer();

afterEach(() => {
  server.close();
  server.removeAllListeners('request');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the README's client against a server that gives these answers, one after the other. */
async function runClient(answers: readonly Answer[]) {
  const calls: { url: string; authorization: string | undefined; atMs: number }[] = [];
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const [status, headers, body] = answers[calls.length] ?? [500, {}, '{}'];
    calls.push({ url: request.url ?? '', authorization: request.headers.authorization, atMs: performance.now() });
    response.writeHead(status, headers).end(body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const file = join(folder, 'all-pets.mjs');
  writeFileSync(file, (files.get('all-pets.mjs') ?? '').replace('localhost:3000', `127.0.0.1:${port}`));
  const child = spawn(process.execPath, [file], { env: { API_KEY: 'the-key' } });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  return { code, output, calls };
}

describe("the README's client", () => {
  it('waits as it is told, follows Link and keeps every digit', async () => {
    const { code, output, calls } = await runClient([
      REFUSED,
      AWAY,
      [200, { Link: '</v1/pets?limit=100&after=1>; rel="next"' }, '[{"id":1,"name":"A","categoryId":9223372036854775807}]'],
      [200, {}, '[{"id":2,"name":"B","categoryId":-9007199254740993}]'],
    ]);
    expect({ code, output }).toEqual({ code: 0, output: '1 A, category 9223372036854775807\n2 B, category -9007199254740993\n' });
    expect(calls.map(({ url }) => url)).toEqual([...Array<string>(3).fill('/v1/pets?limit=100'), '/v1/pets?limit=100&after=1']);
    expect(new Set(calls.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer the-key']));
    const [first = 0, second = 0, third = 0] = calls.map(({ atMs }) => atMs);
    expect(second - first).toBeGreaterThanOrEqual(1_000);
    expect(third - second).toBeGreaterThanOrEqual(1_000);
  });

  it('gives up where the wait is long', async () => {
    const { code, calls } = await runClient([[429, { 'Retry-After': '40000' }, REFUSED[2]]]);
    expect({ code, calls: calls.length }).toEqual({ code: 1, calls: 1 });
  });
});
