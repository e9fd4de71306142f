import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { listen } from '../support/listen.js';
import { outputOf } from '../support/run.js';
import { shareFolder } from '../support/share-folder.js';
import { files } from './pages.js';

/** Retry-After, minus the amount by which a timer may fire early. */
const WAIT_MS = 990;

type Answer = readonly [status: number, headers: Record<string, string>, body: string];

const refused = (status: number, code: string, wait?: string): Answer => [
  status,
  wait === undefined ? {} : { 'Retry-After': wait },
  JSON.stringify({ code, message: 'Not now.', status }),
];

const folder = shareFolder();
const server = createServer();

afterEach(() => {
  server.close();
  server.removeAllListeners('request');
});

const hasPython = spawnSync('python3', ['--version']).status === 0;

/** The manual's clients, with the programs that run them. */
const CLIENTS = [
  { name: 'all-pets.mjs', program: process.execPath },
  ...(hasPython ? [{ name: 'all_pets.py', program: 'python3' }] : []),
];
type Client = (typeof CLIENTS)[number];

/** Runs a client against a server that returns these responses in order. */
async function runClient({ name, program }: Client, responses: readonly Answer[]) {
  const calls: { url: string; authorization: string | undefined; atMs: number }[] = [];
  server.on('request', ({ url = '', headers }: IncomingMessage, response: ServerResponse) => {
    const count = calls.push({ url, authorization: headers.authorization, atMs: performance.now() });
    const [status, sent, body] = responses[count - 1] ?? [500, {}, '{}'];
    response.writeHead(status, sent).end(body);
  });
  const port = await listen(server);
  const file = join(folder, name);
  writeFileSync(file, (files.get(name) ?? '').replace('localhost:3000', `127.0.0.1:${port}`));
  const child = spawn(program, [file], { env: { API_KEY: 'the-key', PATH: process.env['PATH'] } });
  const output = outputOf(child.stdout);
  const [code] = (await once(child, 'close')) as [number];
  return { code, output: output(), calls };
}

describe.each(CLIENTS)('the example client $name', (client) => {
  it('obeys Retry-After, follows Link and keeps every digit', async () => {
    const { code, output, calls } = await runClient(client, [
      refused(429, 'rate_limit_exceeded', '1'),
      refused(429, 'api_key_banned', '1'),
      refused(503, 'service_unavailable', '1'),
      [
        200,
        { Link: '</v1/pets?limit=100&after=1>; rel="next"' },
        '[{"id":1,"name":"A","categoryId":9223372036854775807}]',
      ],
      [200, {}, '[{"id":2,"name":"B","categoryId":-9007199254740993}]'],
    ]);
    expect({ code, output }).toEqual({
      code: 0,
      output: '1 A, category 9223372036854775807\n2 B, category -9007199254740993\n',
    });
    expect(calls.map(({ url }) => url)).toEqual([
      ...Array<string>(4).fill('/v1/pets?limit=100'),
      '/v1/pets?limit=100&after=1',
    ]);
    expect(new Set(calls.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer the-key']));
    const waits = calls.slice(1, 4).map(({ atMs }, index) => atMs - (calls[index]?.atMs ?? 0));
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(WAIT_MS);
  });

  it.each([
    refused(429, 'rate_limit_exceeded', '40000'),
    refused(401, 'invalid_api_key'),
    refused(403, 'insufficient_scope'),
    refused(410, 'operation_removed'),
  ])('stops on %i with %j', async (...refusal) => {
    const { code, calls } = await runClient(client, [refusal]);
    expect({ code, calls: calls.length }).toEqual({ code: 1, calls: 1 });
  });
});
