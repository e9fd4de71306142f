import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AccountKeysService, isCaller, type IssuedKey, KeysService, KeyVerifier, type NewKey, SCOPES } from '../../src/auth/index.js';
import { Database } from '../../src/database/index.js';
import { FakeClock, startApp, type TestApp, trio } from '../support/app.js';
import { queryDatabase } from '../support/databases.js';
import { errorOf } from '../support/expectations.js';

const NOON = '2026-11-21T12:00:00.000Z';
const WITHOUT_MANAGE = ['pets:read', 'pets:write', 'categories:read', 'categories:write', 'orders:read', 'orders:write', 'usage:read'];
const NOBODYS = 'key_0000000000000000';

interface Key {
  readonly id: string;
  readonly masked: string;
  readonly scopes: readonly string[];
  readonly createdAt: string;
  readonly expiresAt?: string;
  readonly revokedAt?: string;
  readonly lastUsedAt?: string;
}

interface Issued extends Key {
  readonly key: string;
  readonly replaces?: string;
  readonly replacedExpiresAt?: string;
}

const clock = new FakeClock();
let service: TestApp;
let manager: IssuedKey;
let accounts = 0;

beforeAll(async () => {
  service = await startApp({ clock });
});
afterAll(() => service.stop());
beforeEach(async () => {
  clock.set(NOON);
  accounts += 1;
  manager = await given({ scopes: SCOPES });
});

const account = () => `shop ${accounts}`;
const given = (options: Partial<NewKey> = {}) => service.app.get(KeysService).createKey({ account: account(), plan: 'business', ...options }, 'test');
const post = (path: string, body: unknown, as = manager.key) => service.post(path, as, JSON.stringify(body));
const create = (body: unknown = {}, as = manager.key) => post('/v1/keys', body, as);
const rotate = (id: string, body: unknown = {}, as = manager.key) => post(`/v1/keys/${id}/rotate`, body, as);
const revoke = (id: string, as = manager.key) => service.request(`/v1/keys/${id}`, { key: as, method: 'DELETE' });
const list = (query = '', as = manager.key) => service.request(`/v1/keys${query}`, { key: as });

async function created(answer: Response): Promise<Issued> {
  const text = await answer.text();
  expect({ status: answer.status, text }).toMatchObject({ status: 201 });
  return JSON.parse(text) as Issued;
}

async function get(id: string, as = manager.key): Promise<Key> {
  const answer = await service.request(`/v1/keys/${id}`, { key: as });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Key;
}

/** What a key is told when it calls. */
async function codeOf(key: string): Promise<string> {
  const answer = await service.request('/v1/pets', { key });
  return answer.ok ? 'ok' : (await errorOf(answer)).code;
}

/** The audit trail of a key: action and actor, oldest first. */
async function trail(id: string): Promise<string[]> {
  const select = `SELECT action, actor FROM audit_records WHERE key_id = '${id}' ORDER BY id`;
  const rows = await queryDatabase<{ action: string; actor: string }>(service.folder, select);
  return rows.map(({ action, actor }) => `${action} by ${actor}`);
}

describe('createKey', () => {
  it('makes a working key of the account, shown once, with all scopes but keys:manage', async () => {
    const answer = await create();
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const location = answer.headers.get('location');
    const { key, ...rest } = await created(answer);
    expect(rest).toEqual({ id: expect.stringMatching(/^key_/), masked: `${key.slice(0, 13)}…${key.slice(-4)}`, scopes: WITHOUT_MANAGE, createdAt: NOON });
    expect(key).toMatch(/^psk_live_[0-9A-Za-z]{36}$/);
    expect(location).toBe(`/v1/keys/${rest.id}`);
    expect(await codeOf(key)).toBe('ok');
    expect(await get(rest.id)).toEqual(rest);
    expect(await trail(rest.id)).toEqual([`key.created by ${manager.id}`]);
    expect(await (await service.request('/v1/usage', { key })).json()).toMatchObject({ account: account(), plan: 'business' });
  });

  it('makes it as asked: narrowed, expiring, for tests', async () => {
    const { key, ...rest } = await created(await create({ scopes: ['pets:read'], expiresInSeconds: 60, test: true }));
    expect(rest).toMatchObject({ scopes: ['pets:read'], expiresAt: '2026-11-21T12:01:00.000Z', masked: expect.stringMatching(/^psk_test_/) });
    expect(await errorOf(await service.post('/v1/pets', key, '{"name":"x","categoryId":1}'))).toMatchObject({ code: 'insufficient_scope' });
    clock.advanceSeconds(60);
    expect(await codeOf(key)).toBe('api_key_expired');
  });

  it('gives keys:manage to whom it is given on purpose', async () => {
    const second = await created(await create({ scopes: ['keys:manage', 'pets:read'] }));
    const third = await created(await create({}, second.key));
    expect(third.scopes).toEqual(['pets:read']);
  });

  it('never gives a scope that the caller lacks, and names each', async () => {
    const { key } = await given({ scopes: ['keys:manage', 'pets:read'] });
    const answer = await create({ scopes: ['pets:read', 'pets:write', 'orders:read'] }, key);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="petstore", error="insufficient_scope", scope="pets:write orders:read"');
    expect(await errorOf(answer)).toMatchObject({ status: 403, code: 'insufficient_scope', message: expect.stringContaining('pets:write, orders:read') });
    expect(((await (await list()).json()) as Key[]).length).toBe(2);
  });

  it('gives scopes of other modules to whom it asks with them, by default', async () => {
    const { key } = await given({ scopes: ['keys:manage', 'visits:write'] });
    expect(await created(await create({}, key))).toHaveProperty('scopes', ['visits:write']);
  });

  it('makes none of a caller that has nothing to give', async () => {
    const { key } = await given({ scopes: ['keys:manage'] });
    expect(await errorOf(await create({}, key))).toMatchObject({ status: 400, code: 'validation_failed', message: expect.stringContaining('at least one scope') });
  });

  it.each([
    ['[]', 'validation_failed'],
    ['{"scopes":[]}', 'scopes must be'],
    ['{"scopes":["pets:read","pets:read"]}', 'scopes must be'],
    ['{"scopes":["pets:reed"]}', 'scopes must be'],
    ['{"scopes":[["pets:read"]]}', 'scopes must be'],
    ['{"scopes":"pets:read"}', 'scopes must be'],
    ['{"scopes":{"length":1,"0":"pets:read"}}', 'scopes must be'],
    ['{"scopes":null}', 'scopes must be'],
    ['{"expiresInSeconds":0}', 'expiresInSeconds must be an integer from 1 to 3155760000'],
    ['{"expiresInSeconds":3155760001}', 'expiresInSeconds must be'],
    ['{"expiresInSeconds":1.5}', 'expiresInSeconds must be'],
    ['{"expiresInSeconds":9223372036854775807}', 'expiresInSeconds must be'],
    ['{"expiresInSeconds":"60"}', 'expiresInSeconds must be'],
    ['{"test":"true"}', 'test must be true or false'],
    ['{"test":null}', 'test must be true or false'],
    ['{"account":"other"}', '"account" is not a known field'],
    ['{"plan":"enterprise"}', '"plan" is not a known field'],
  ])('refuses %s', async (body, message) => {
    const refusal = await errorOf(await service.post('/v1/keys', manager.key, body));
    expect(refusal).toMatchObject({ status: 400, code: 'validation_failed' });
    expect(`${refusal.code} ${refusal.message}`).toContain(message);
    expect(await (await list()).json()).toHaveLength(1);
  });

  it('makes no more than 100 active keys of an account, however many ask at once', async () => {
    const dead = await created(await create({ expiresInSeconds: 1 }));
    clock.advanceSeconds(1);
    const answers = await Promise.all(Array.from({ length: 120 }, () => create({ scopes: ['pets:read'] })));
    const statuses = answers.map(({ status }) => status);
    expect([statuses.filter((status) => status === 201).length, statuses.filter((status) => status === 409).length]).toEqual([99, 21]);
    const refused = await create();
    expect(await errorOf(refused)).toMatchObject({ status: 409, code: 'api_key_limit_reached', message: expect.stringContaining('100') });
    const { id } = await created(answers.find(({ status }) => status === 201) ?? refused);
    expect(await errorOf(await rotate(id, { overlapSeconds: 1 }))).toMatchObject({ code: 'api_key_limit_reached' });
    await created(await rotate(id, { overlapSeconds: 0 }));
    expect(await errorOf(await create())).toMatchObject({ code: 'api_key_limit_reached' });
    await revoke(manager.id);
    expect(await codeOf(dead.key)).toBe('api_key_expired');
  });
});

describe('listKeys and getKey', () => {
  it('tell what there is of each key of the account, oldest first, and no secret', async () => {
    clock.advanceSeconds(1);
    const other = await created(await create({ scopes: ['pets:read'], expiresInSeconds: 60 }));
    clock.advanceSeconds(1);
    await revoke(other.id);
    const text = await (await list()).text();
    expect(JSON.parse(text)).toEqual([
      { id: manager.id, masked: manager.masked, scopes: SCOPES, createdAt: NOON },
      {
        id: other.id,
        masked: other.masked,
        scopes: ['pets:read'],
        createdAt: '2026-11-21T12:00:01.000Z',
        expiresAt: '2026-11-21T12:01:01.000Z',
        revokedAt: '2026-11-21T12:00:02.000Z',
      },
    ]);
    expect(text).not.toMatch(/sha256|psk_live_\w{5}/);
  });

  it('go through all keys page by page, also those made in the same millisecond', async () => {
    const made = [manager.id];
    for (let n = 0; n < 6; n += 1) {
      if (n === 3) clock.advanceMs(1);
      made.push((await given({ scopes: ['pets:read'] })).id);
    }
    const seen: string[] = [];
    let next: string | undefined = '/v1/keys?limit=3';
    for (let pages = 0; next !== undefined; pages += 1) {
      expect(pages).toBeLessThan(4);
      const answer: Response = await service.request(next, { key: manager.key });
      seen.push(...((await answer.json()) as Key[]).map(({ id }) => id));
      next = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toHaveLength(7);
    expect(seen.toSorted()).toEqual(made.toSorted());
    expect(seen).toEqual(((await (await list()).json()) as Key[]).map(({ id }) => id));
  });

  it('refuse a page after what is no key of the account', async () => {
    const { id } = await given({ account: 'another shop' });
    for (const after of [id, NOBODYS]) {
      expect(await errorOf(await list(`?after=${after}`))).toMatchObject({ status: 400, code: 'validation_failed', message: expect.stringMatching(/^after must be/) });
    }
    expect(await errorOf(await list('?after=1'))).toMatchObject({ status: 400, message: expect.stringMatching(/^after must be the identifier of a key/) });
    expect(await errorOf(await list('?limit=101'))).toMatchObject({ status: 400, message: expect.stringContaining('limit') });
  });
});

describe('rotateKey', () => {
  it('makes a like key, shown once; the old one works on for a day unless told otherwise', async () => {
    const old = await created(await create({ scopes: ['pets:read'], test: true, expiresInSeconds: 864_000 }));
    const answer = await rotate(old.id);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const location = answer.headers.get('location');
    const { key, ...rest } = await created(answer);
    expect(rest).toEqual({
      id: expect.stringMatching(/^key_/),
      masked: expect.stringMatching(/^psk_test_/),
      scopes: ['pets:read'],
      createdAt: NOON,
      expiresAt: '2026-12-01T12:00:00.000Z',
      replaces: old.id,
      replacedExpiresAt: '2026-11-22T12:00:00.000Z',
    });
    expect(location).toBe(`/v1/keys/${rest.id}`);
    expect([await codeOf(old.key), await codeOf(key)]).toEqual(['ok', 'ok']);
    clock.advanceSeconds(86_400);
    expect([await codeOf(old.key), await codeOf(key)]).toEqual(['api_key_expired', 'ok']);
    expect(await trail(old.id)).toEqual([`key.created by ${manager.id}`, `key.rotated by ${manager.id}`]);
  });

  it('ends the old key at once without an overlap, the calling one too', async () => {
    const { key } = await created(await rotate(manager.id, { overlapSeconds: 0 }));
    expect(await codeOf(manager.key)).toBe('api_key_expired');
    expect((await list('', key)).status).toBe(200);
  });

  it('gives a key one successor, however many ask at once', async () => {
    const { id } = await created(await create());
    const answers = await Promise.all(Array.from({ length: 20 }, () => rotate(id)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(19);
    const [winner] = await Promise.all(answers.filter(({ status }) => status === 201).map(created));
    for (const answer of refused) expect(await errorOf(answer)).toMatchObject({ code: 'api_key_retired', message: expect.stringContaining(winner?.id ?? 'no winner') });
    expect(await (await list()).json()).toHaveLength(3);
  });

  it('refuses what is revoked or expired', async () => {
    const revoked = await created(await create());
    await revoke(revoked.id);
    expect(await errorOf(await rotate(revoked.id))).toMatchObject({ status: 409, code: 'api_key_retired', message: expect.stringContaining('revoked') });
    const expired = await created(await create({ expiresInSeconds: 1 }));
    clock.advanceSeconds(1);
    expect(await errorOf(await rotate(expired.id))).toMatchObject({ status: 409, code: 'api_key_retired', message: expect.stringContaining('expired') });
  });

  it('hands out no scope that the caller lacks', async () => {
    const narrow = await given({ scopes: ['keys:manage', 'pets:read'] });
    const wide = await given({ scopes: ['pets:read', 'pets:write', 'reports:run'] });
    const answer = await rotate(wide.id, {}, narrow.key);
    expect(answer.headers.get('www-authenticate')).toContain('scope="pets:write reports:run"');
    expect(await errorOf(answer)).toMatchObject({ status: 403, code: 'insufficient_scope' });
    expect(await get(wide.id)).not.toHaveProperty('expiresAt');
    const like = await given({ scopes: ['pets:read'] });
    expect(await created(await rotate(like.id, {}, narrow.key))).toHaveProperty('scopes', ['pets:read']);
  });

  it.each(['{"overlapSeconds":-1}', '{"overlapSeconds":3155760001}', '{"overlapSeconds":"24h"}', '{"overlapSeconds":null}', '{"scopes":["pets:read"]}'])(
    'refuses %s',
    async (body) => {
      expect(await errorOf(await service.post(`/v1/keys/${manager.id}/rotate`, manager.key, body))).toMatchObject({ status: 400, code: 'validation_failed' });
    },
  );
});

describe('revokeKey', () => {
  it('ends a key from the next request on, and changes nothing the second time', async () => {
    const { id, key } = await created(await create());
    expect(await codeOf(key)).toBe('ok');
    const answer = await revoke(id);
    expect([answer.status, await answer.text(), answer.headers.get('content-type')]).toEqual([204, '', null]);
    expect(await codeOf(key)).toBe('api_key_revoked');
    clock.advanceSeconds(5);
    expect((await revoke(id)).status).toBe(204);
    expect(await get(id)).toHaveProperty('revokedAt', NOON);
    expect(await trail(id)).toEqual([`key.created by ${manager.id}`, `key.revoked by ${manager.id}`]);
  });

  it('lets a key end itself, which then can do nothing any more', async () => {
    expect((await revoke(manager.id)).status).toBe(204);
    expect(await errorOf(await create())).toMatchObject({ status: 401, code: 'api_key_revoked' });
  });

  it('holds for requests that were admitted before it', async () => {
    const caller = await service.app.get(KeyVerifier).verify(manager.key);
    if (!isCaller(caller)) throw new Error(caller.message);
    const keys = service.app.get(AccountKeysService);
    const sibling = await given({ scopes: SCOPES });
    await revoke(manager.id);
    const database = service.app.get(Database);
    const late = [
      () => database.write((transaction) => keys.createIn(transaction, {}, caller)),
      () => database.write((transaction) => keys.rotateIn(transaction, sibling.id, 0, caller)),
      () => keys.revoke(sibling.id, caller),
    ];
    for (const act of late) {
      await expect(act()).rejects.toMatchObject({ code: 'api_key_revoked', headers: { 'www-authenticate': 'Bearer realm="petstore", error="invalid_token"' } });
    }
    expect(await (await list('', sibling.key)).json()).toHaveLength(2);
  });
});

describe('keys over HTTP', () => {
  it('do not show a key of another account, nor let it be touched', async () => {
    const other = await given({ account: 'neighbour' });
    const answers = [await service.request(`/v1/keys/${other.id}`, { key: manager.key }), await rotate(other.id), await revoke(other.id)];
    const unknown = [await service.request(`/v1/keys/${NOBODYS}`, { key: manager.key }), await rotate(NOBODYS), await revoke(NOBODYS)];
    for (const answer of [...answers, ...unknown]) expect(await errorOf(answer)).toMatchObject({ status: 404, code: 'api_key_not_found' });
    expect(await codeOf(other.key)).toBe('ok');
    expect(await trail(other.id)).toEqual(['key.created by test']);
    expect(await (await list()).json()).toHaveLength(1);
  });

  it.each(['1', 'key_', 'key_000000000000000%00', 'key_00000000000000%C3%A4', '%00', 'key_0123456789abcdef0', '%ED%A0%80'])('are 404 for what is no id: %s', async (id) => {
    for (const answer of [await service.request(`/v1/keys/${id}`, { key: manager.key }), await rotate(id), await revoke(id)]) {
      expect(await errorOf(answer)).toMatchObject({ status: 404, code: 'api_key_not_found' });
    }
  });

  it('do not repeat a key that was sent in place of an id', async () => {
    expect((await errorOf(await revoke(manager.key))).message).not.toContain(manager.key);
  });

  it('need keys:manage, which keys do not get by default', async () => {
    const { id, key, scopes } = await given();
    expect(scopes).toEqual(WITHOUT_MANAGE);
    const answers = [await create({}, key), await list('', key), await service.request(`/v1/keys/${id}`, { key }), await rotate(id, {}, key), await revoke(id, key)];
    for (const answer of answers) {
      expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="petstore", error="insufficient_scope", scope="keys:manage"');
      expect(await errorOf(answer)).toMatchObject({ status: 403, code: 'insufficient_scope', message: expect.stringContaining('keys:manage') });
    }
  });

  it('take quota as other requests do', async () => {
    const before = trio(await list());
    expect(trio(await create()).remaining).toBe(Number(before.remaining) - 1);
  });

  it('hold after a restart', async () => {
    const { key } = await created(await create({ scopes: ['pets:read'] }));
    const second = await startApp({ clock, folder: service.folder });
    const answer = await second.request('/v1/pets', { key });
    await second.stop({ keepData: true });
    expect(answer.status).toBe(200);
  });
});
