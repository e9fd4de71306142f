import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook as Signer } from 'standardwebhooks';
import { AMPLE, service, sharePreparedApp } from '../support/folders.js';
import { freePort } from '../support/servers/free-port.js';
import { shareFolder } from '../support/share-folder.js';
import { files } from './pages.js';
import { until } from '../support/until.js';
import { webhookSettings } from '../support/webhook-settings.js';

interface Webhook {
  readonly id: number;
  readonly secret: string;
}

const SCOPES = ['pets:read', 'pets:write', 'webhooks:manage'];
const LONG_AGO_MS = 600_000;
const hasPython = spawnSync('python3', ['--version']).status === 0;

/** The manual's receivers, with the programs that run them. */
const RECEIVERS: { name: 'receiver.mjs' | 'receiver.py'; program: string }[] = [
  { name: 'receiver.mjs', program: process.execPath },
  ...(hasPython ? [{ name: 'receiver.py' as const, program: 'python3' }] : []),
];

const folder = shareFolder();
const port = await freePort();
const address = `http://127.0.0.1:${port}/hooks/pets`;
let key: string;

sharePreparedApp({ env: webhookSettings(port) }, async () => {
  key = await service.key({ ...AMPLE, scopes: SCOPES });
});

const call = <Body>(method: string, path: string, body?: object) =>
  service.json<Body>(`/v1${path}`, { key, method, ...(body === undefined ? {} : { body }) });

const create = async (pet: string) =>
  (await call<{ id: number }>('POST', '/pets', { name: pet, categoryId: 1 })).body.id;

describe.each(RECEIVERS)('the receiver $name', ({ name, program }) => {
  let webhook: Webhook;
  let receiver: ChildProcess;
  let output: string;

  beforeEach(async () => {
    webhook = (await call<Webhook>('POST', '/webhooks', { url: address, types: ['pet.*'] })).body;
    const file = join(folder, name);
    writeFileSync(file, files.get(name) ?? '');
    const own = { WEBHOOK_SECRET: webhook.secret, PORT: String(port), PATH: process.env['PATH'] };
    receiver = spawn(program, [file], { env: own, stdio: ['ignore', 'pipe', 'inherit'] });
    output = '';
    receiver.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await until(async () => (await test()).delivered);
  });
  afterEach(async () => {
    receiver.kill();
    await once(receiver, 'close');
    await call('DELETE', `/webhooks/${webhook.id}`);
  });

  const test = async () => (await call<{ delivered: boolean }>('POST', `/webhooks/${webhook.id}/test`)).body;
  const heard = () => output.split('\n').filter((line) => line !== '');
  const settle = () =>
    until(async () => {
      const { body } = await call<unknown[]>('GET', `/webhooks/${webhook.id}/deliveries?state=pending`);
      return body.length === 0;
    });
  async function post(event: { readonly id: string }, secret = webhook.secret, at = new Date()): Promise<number> {
    const body = JSON.stringify(event);
    const headers = {
      'webhook-id': event.id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new Signer(secret).sign(event.id, at, body),
    };
    return (await fetch(address, { method: 'POST', headers, body })).status;
  }

  it('handles each event once, in the order of the subject', async () => {
    const since = new Date(Date.now() - LONG_AGO_MS).toISOString();
    const id = await create('Ada');
    await call('PATCH', `/pets/${id}`, { name: 'Bea' });
    await call('DELETE', `/pets/${id}`);
    const lines = [`pet.created pet:${id} Ada`, `pet.changed pet:${id} Bea`, `pet.removed pet:${id} Bea`];
    await until(() => heard().length === lines.length);
    await settle();
    const replay = { since, state: 'delivered' };
    expect((await call('POST', `/webhooks/${webhook.id}/replay`, replay)).body).toEqual({ repeated: 3 });
    await settle();
    expect(heard()).toEqual(lines);
  });

  it('ignores an event that is older than what it has', async () => {
    const id = await create('Cleo');
    await until(() => heard().length === 1);
    const old = { type: 'pet.changed', subject: `pet:${id}`, data: { id, name: 'Old' } };
    expect(await post({ ...old, id: 'an-old-one', createdAt: '2020-01-01T00:00:00.000Z' } as { id: string })).toBe(204);
    expect(heard()).toEqual([`pet.created pet:${id} Cleo`]);
  });

  it('refuses what has another signature, or an old one', async () => {
    const event = { id: 'one', type: 'pet.created', subject: 'pet:1', createdAt: '2026-01-01T00:00:00.000Z', data: {} };
    const other = `whsec_${Buffer.alloc(24).toString('base64')}`;
    expect(await post(event, other)).toBe(401);
    expect(await post(event, webhook.secret, new Date(Date.now() - LONG_AGO_MS))).toBe(401);
    expect((await fetch(address, { method: 'POST', body: '{}' })).status).toBe(401);
    expect(heard()).toEqual([]);
  });

  it.each([
    { fault: 'is negative', length: '-1', statuses: { 'receiver.py': 411, 'receiver.mjs': 400 } },
    { fault: 'is no number', length: 'abc', statuses: { 'receiver.py': 411, 'receiver.mjs': 400 } },
    { fault: 'has 5,000 digits', length: '9'.repeat(5_000), statuses: { 'receiver.py': 413, 'receiver.mjs': 400 } },
    {
      fault: 'is too large',
      length: '100001',
      body: 'x'.repeat(100_001),
      statuses: { 'receiver.py': 413, 'receiver.mjs': 413 },
    },
  ])('responds at once to a body whose length $fault', async ({ length, body = '', statuses }) => {
    const socket = connect(port, '127.0.0.1');
    const response = text(socket);
    socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n${body}`);
    expect(await response).toMatch(new RegExp(`^HTTP/1.1 ${statuses[name]} `));
  });

  it('refuses a time stamp of any length', async () => {
    const headers = { 'webhook-id': 'long', 'webhook-timestamp': '9'.repeat(5_000), 'webhook-signature': 'v1,x' };
    expect((await fetch(address, { method: 'POST', headers, body: '{}' })).status).toBe(401);
  });

  it('goes on while the secret is rotated', async () => {
    await call('POST', `/webhooks/${webhook.id}/rotate`, { overlapSeconds: 60 });
    expect(await test()).toEqual({ delivered: true });
  });

  it('gets an event again that it could not handle', async () => {
    const failing = { id: 'failing', type: 'pet.created', subject: 'pet:1', createdAt: '2026-01-01T00:00:00.000Z' };
    expect(await post(failing)).toBe(500);
    expect(await post({ ...failing, data: { name: 'Dora' } } as { id: string })).toBe(204);
    await until(() => heard().length > 0);
    expect(heard()).toEqual(['pet.created pet:1 Dora']);
  });
});
