import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Fleet } from '../support/fleet.js';
import { ask, JSON_TYPE } from '../support/http.js';
import { runMain } from '../support/service-process.js';

const INSTANCES = 4;

let fleet: Fleet;

beforeAll(async () => {
  fleet = await Fleet.start({ instances: 0 });
});
afterAll(() => fleet?.stop());

describe('instances that start at once on an empty database', () => {
  it('run the migrations once, and all accept requests', async () => {
    await Promise.all(Array.from({ length: INSTANCES }, () => fleet.launch()));
    const applied = await fleet.postgres.query<{ name: string }>('SELECT name FROM migrations', 'petstore');
    expect(applied.length).toBeGreaterThan(0);
    expect(new Set(applied.map(({ name }) => name)).size).toBe(applied.length);
    const { key } = await fleet.createKey('first', '--plan', 'free');
    const created = await ask(fleet.ports[0] ?? 0, {
      method: 'POST',
      path: '/v1/pets',
      key,
      headers: JSON_TYPE,
      body: '{"name":"x","categoryId":1}',
    });
    const text = await created.text();
    expect(created.status).toBe(201);
    for (const port of fleet.ports) expect(await (await ask(port, { path: '/v1/pets', key })).text()).toBe(`[${text}]`);
  });

  it('refuse a database that cannot store every name', async () => {
    await fleet.postgres.query(
      "CREATE DATABASE western TEMPLATE template0 ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C'",
    );
    const ended = await runMain({ folder: tmpdir(), env: { DATABASE_URL: fleet.postgres.url('western') } });
    expect(ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('must have the encoding UTF8, but has LATIN1'),
    });
  });

  it('create neither keys nor pets', () => {
    for (const instance of fleet.instances) {
      expect(instance.output()).toContain('listening');
      expect(instance.output()).not.toContain('psk_');
    }
  });
});
