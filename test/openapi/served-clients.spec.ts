import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { FakeClock } from '../support/app.js';
import { service as staging, sharePreparedApp } from '../support/folders.js';
import { listen } from '../support/listen.js';
import { pagesFrom } from '../support/pages.js';
import { run } from '../support/run.js';
import { shareFolder } from '../support/share-folder.js';
import { CLIENTS, writeClients } from './client-programs.js';
import { fetchDocument, operationsOf } from './document.js';

/** More than a minute allows, so that a client must wait for the next one. */
const PETS = 45;
const PER_MINUTE = 25;

/** What becomes of each request in turn: a rehearsed error, or a connection that breaks. Others pass. */
const FATES = [
  'pass',
  'pass',
  '429',
  'lost answer',
  'pass',
  '503',
  'lost request',
  'pass',
  'lost answer',
  'api_key_banned',
];

const clock = new FakeClock(Date.now());
const folder = shareFolder();
sharePreparedApp({ clock, env: { ENVIRONMENT: 'staging' } });
beforeAll(() => writeClients(staging, folder, ['lasting', 'one-pet']));

/** A proxy between a client and the staging service that loses and replaces what passes through. */
class RudeProxy {
  readonly seen: { status: number; isRehearsed: boolean; code: string }[] = [];
  readonly server = createServer((request, response) => void this.handle(request, response));

  constructor(private readonly hidden: readonly string[]) {}

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const body = await text(request);
    if (url === '/wait') {
      clock.advanceMs(Math.ceil(Number(body)) * 1000);
      response.end();
      return;
    }
    const fate = FATES[this.seen.length % FATES.length] ?? 'pass';
    // A change that is not marked must not be repeated, so nothing happens to it.
    const isRude = fate !== 'pass' && method !== 'PATCH';
    const isRehearsed = isRude && !fate.startsWith('lost');
    if (isRude && fate === 'lost request') {
      this.seen.push({ status: 0, isRehearsed: false, code: '' });
      request.socket.destroy();
      return;
    }
    const names = ['authorization', 'content-type', 'idempotency-key', 'if-none-match', 'if-match'];
    const passed = names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]]));
    const answer = await fetch(staging.origin + url, {
      method,
      headers: { ...Object.fromEntries(passed), ...(isRehearsed ? { Prefer: `code=${fate}` } : {}) },
      ...(body === '' ? {} : { body }),
    });
    const sent = await answer.text();
    const { code = '' } = sent.startsWith('{') ? (JSON.parse(sent) as { code?: string }) : {};
    this.seen.push({ status: answer.status, isRehearsed, code });
    if (isRude && fate === 'lost answer') {
      request.socket.destroy();
      return;
    }
    const kept = [...answer.headers].filter(([name]) => !this.hidden.includes(name) && name !== 'date');
    response.writeHead(answer.status, { ...Object.fromEntries(kept), Date: new Date(clock.nowMs()).toUTCString() });
    response.end(sent);
  }
}

async function petsOf(key: string): Promise<string[]> {
  const pages = await pagesFrom('/v1/pets?limit=100', (path) => staging.request(path, { key }));
  const pets = await Promise.all(pages.map((page) => page.json() as Promise<{ name: string }[]>));
  return pets.flat().map(({ name }) => name);
}

let proxy: RudeProxy | undefined;
afterEach(() => {
  proxy?.server.close();
});

describe.each(CLIENTS)('the client in /docs/client.$language', ({ language, program }) => {
  it('is one file of at most 220 lines, with a method for each operation', async () => {
    const response = await staging.request(`/docs/client.${language}`);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const source = await response.text();
    expect(source.split('\n').length).toBeLessThanOrEqual(220);
    const ids = operationsOf(await fetchDocument(staging)).map(({ operation }) => operation.operationId ?? '');
    const named = (id: string) =>
      language === 'ts' ? id : id.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    expect(ids.length).toBeGreaterThan(20);
    expect(ids.filter((id) => !source.includes(` ${named(id)}(`))).toEqual([]);
  });

  it.each([
    { shown: 'RateLimit', hidden: [] },
    { shown: 'X-RateLimit-*', hidden: ['ratelimit', 'ratelimit-policy'] },
  ])(
    'paces itself by $shown, and through refusals and lost connections creates each pet once, with every digit',
    async ({ hidden }) => {
      proxy = new RudeProxy(hidden);
      const address = `http://127.0.0.1:${await listen(proxy.server)}`;
      const key = await staging.key({ plan: 'enterprise', perMinute: PER_MINUTE, perDay: 5000 });
      const before = await petsOf(key);
      const args = [join(folder, `lasting.${language}`), `${address}/v1`, key, `${address}/wait`, String(PETS)];
      expect(JSON.parse(await run(program, args, { cwd: folder }))).toEqual({
        listed: before.length + PETS,
        isSame: true,
        categories: ['9223372036854775807'],
        renamed: 'Renamed',
        refused: 'pet_not_found',
      });
      clock.advanceMs(60_000);
      const after = (await petsOf(key)).slice(before.length);
      expect(after).toHaveLength(PETS);
      expect(new Set(after).size).toBe(PETS);
      const { seen } = proxy;
      expect(new Set(seen.map(({ status }) => status))).toEqual(new Set([0, 200, 201, 304, 404, 429, 503]));
      expect(seen.filter(({ status, isRehearsed }) => status === 429 && !isRehearsed)).toEqual([]);
      const usage = (await (await staging.request('/v1/usage', { key })).json()) as object;
      expect(usage).toMatchObject({ strikes: 0 });
      expect(usage).not.toHaveProperty('bannedUntil');
    },
  );

  it('changes a pet that it has read with listPets, only if nobody has changed it since', async () => {
    const keys = [await staging.key(), await staging.key()];
    const args = [join(folder, `one-pet.${language}`), `${staging.origin}/v1`, ...keys];
    const printed = await run(program, args, { cwd: folder });
    const { pet, results } = JSON.parse(printed) as { pet: string; results: unknown[] };
    const unread = `No ETag of /pets/${pet} is known. Get this resource first. Some resources, such as API keys, have no ETag.`;
    expect(results).toEqual([unread, 'Ada', 'Bea', 'precondition_failed', 'Ada', 'Cleo', 'pet_not_found', 0]);
  });
});
