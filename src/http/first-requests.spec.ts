import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { keepFirstRequests } from './first-requests.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

it('keeps the first 20 GET requests, and their answers, whatever V8 collects', async () => {
  const server = fastify();
  keepFirstRequests(server);
  const seen: WeakRef<object>[] = [];
  server.all('/', async (request, reply) => {
    seen.push(new WeakRef(request), new WeakRef(reply));
    return '';
  });
  for (let requests = 0; requests < 30; requests++) {
    await server.inject({ method: 'POST', url: '/' });
    await server.inject({ method: 'GET', url: '/' });
  }
  // What a WeakRef has been made of lives for the rest of its turn.
  await nextTurn();
  collect();
  const left = seen.flatMap((one, index) => (one.deref() === undefined ? [] : [index]));
  const kept = Array.from({ length: 20 }, (_, index) => [index * 4 + 2, index * 4 + 3]).flat();
  expect(left.filter((index) => index < 110)).toEqual(kept);
});

it('keeps no headers of them once they are answered', async () => {
  const server = fastify();
  keepFirstRequests(server);
  const seen: { readonly during: string | undefined; readonly raw: IncomingMessage }[] = [];
  server.get('/', async ({ raw }) => {
    seen.push({ during: raw.headers.authorization, raw });
    return '';
  });
  const address = await server.listen({ port: 0, host: '127.0.0.1' });
  const answer = await fetch(address, { headers: { authorization: 'Bearer secret' } });
  await answer.text();
  await server.close();
  const [{ during, raw } = { during: undefined, raw: undefined }] = seen;
  expect([during, raw?.headers, raw?.rawHeaders]).toEqual(['Bearer secret', {}, []]);
});
