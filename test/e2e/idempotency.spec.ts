import { beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, HttpCode, Module, Post, Put } from '@nestjs/common';
import { RecordExpiry } from '../../src/http/idempotency/idempotency.module.js';
import { Idempotent, Operation } from '../../src/index.js';
import { FakeClock, startApp, type TestApp, trio } from '../support/app.js';
import { queryDatabase } from '../support/databases.js';
import { errorOf, expectTrio, refusalOf } from '../support/expectations.js';
import { AMPLE, service, sharePreparedApp } from '../support/folders.js';
import { addHandlers, returning } from '../support/handlers.js';
import { ask, JSON_TYPE } from '../support/http.js';
import { operationsOf } from '../support/operations.js';

const DAY_SECONDS = 86_400;
const BELLA = '{"name":"Bella","categoryId":9223372036854775807,"status":"available"}';

const filling = operationsOf('pets:write', 'Fill a bowl');

@Controller('bowls')
class BowlsController {}

addHandlers(BowlsController, {
  add: [Post(), HttpCode(200), Operation(filling('addFood')), Idempotent(), returning(() => ({ food: 1 }))],
  replace: [Put(), Operation(filling('replaceFood')), Idempotent(), returning(() => ({ food: 2 }))],
});

@Module({ controllers: [BowlsController] })
class BowlsModule {}

/** Near the clock of PostgreSQL, which decides there what is deleted. */
const clock = new FakeClock(Date.now());
let key: string;
sharePreparedApp({ clock, extensions: [{ module: BowlsModule }] });
beforeEach(async () => {
  key = await service.key();
});

interface More {
  readonly body?: string;
  readonly as?: string;
  readonly path?: string;
  readonly at?: TestApp;
}

/** Adds a pet with this Idempotency-Key. */
const add = (
  idempotencyKey: string | string[],
  { body = BELLA, as = key, path = '/v1/pets', at = service }: More = {},
) =>
  ask(at.port, { method: 'POST', path, key: as, body, headers: { ...JSON_TYPE, 'Idempotency-Key': idempotencyKey } });

/** All of an answer that stays the same when it is given again. */
const lasting = async (response: Response) => ({
  status: response.status,
  text: await response.text(),
  headers: ['content-type', 'location', 'etag', 'cache-control'].map((name) => response.headers.get(name)),
});

const countRows = async (table: string) => (await queryDatabase(service.folder, `SELECT * FROM "${table}"`)).length;

const REUSED = '422 idempotency_key_reused';
const INVALID = { status: 400, code: 'validation_failed' };

describe('a request that is repeated with its Idempotency-Key', () => {
  it('gets the first response, byte for byte, and has no further effect', async () => {
    const first = await add('again');
    const remaining = Number(trio(first).remaining);
    const pets = await countRows('pets');
    const second = await add('again');
    expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
    expectTrio(second);
    expect(trio(second).remaining).toBe(remaining - 1);
    expect([first, second].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
    const kept = await lasting(first);
    expect(kept).toMatchObject({ status: 201, text: expect.stringContaining('9223372036854775807') });
    expect(await lasting(second)).toEqual(kept);
    expect(await countRows('pets')).toBe(pets);
  });

  it('gets the first response even if the pet has changed since', async () => {
    const first = await lasting(await add('meanwhile'));
    await service.post('/v1/pets', key, BELLA);
    expect(await lasting(await add('meanwhile'))).toEqual(first);
  });

  it.each([
    ['another body', { body: BELLA.replace('Bella', 'Milo') }],
    ['the same JSON in other bytes', { body: `${BELLA} ` }],
    ['another spelling of the path', { path: '/v1/%70ets' }],
  ])('is refused with %s', async (_, more) => {
    await add('reused');
    const pets = await countRows('pets');
    expect(await refusalOf(add('reused', more))).toBe(REUSED);
    expect(await countRows('pets')).toBe(pets);
  });

  it('is refused with another method', async () => {
    const request = { path: '/v1/bowls', key, headers: { 'Idempotency-Key': 'fill' } };
    expect(await (await ask(service.port, { ...request, method: 'POST' })).json()).toEqual({ food: 1 });
    expect(await refusalOf(ask(service.port, { ...request, method: 'PUT' }))).toBe(REUSED);
  });

  it('gets the first response with another API key of the account, and is a new request for another account', async () => {
    const [one, successor] = [await service.key({ account: 'rotated' }), await service.key({ account: 'rotated' })];
    const first = await lasting(await add('whose', { as: one }));
    expect(await lasting(await add('whose', { as: successor }))).toEqual(first);
    const elsewhere = await lasting(await add('whose', { as: key }));
    expect(elsewhere.status).toBe(201);
    expect(elsewhere.text).not.toBe(first.text);
  });

  it('is processed if the first attempt failed', async () => {
    expect((await add('failed', { body: '{"name":"Bella"}' })).status).toBe(400);
    expect((await add('failed')).status).toBe(201);
  });

  it('gets the first response after a restart', async () => {
    const ample = await service.key(AMPLE);
    const first = await lasting(await add('restart', { as: ample }));
    const again = await startApp({ clock, folder: service.folder });
    const second = await add('restart', { as: ample, at: again });
    await again.stop({ keepData: true });
    expect(await lasting(second)).toEqual(first);
  });

  it('gets the first response for 24 hours; after that, the key can be used for another request', async () => {
    const ample = await service.key(AMPLE);
    const first = await lasting(await add('day', { as: ample }));
    clock.advanceSeconds(DAY_SECONDS - 1);
    expect(await lasting(await add('day', { as: ample }))).toEqual(first);
    clock.advanceSeconds(1);
    const renewed = { as: ample, body: BELLA.replace('Bella', 'Milo') };
    const milo = await lasting(await add('day', renewed));
    expect(milo).toMatchObject({ status: 201, text: expect.stringContaining('Milo') });
    await service.app.get(RecordExpiry).run();
    expect(await lasting(await add('day', renewed))).toEqual(milo);
  });

  it('still needs a valid API key with the scope', async () => {
    const reader = await service.key({ account: 'narrowed', scopes: ['pets:read'] });
    const writer = await service.key({ account: 'narrowed' });
    await add('scopes', { as: writer });
    expect(await refusalOf(add('scopes', { as: reader }))).toBe('403 insufficient_scope');
  });
});

describe('an Idempotency-Key', () => {
  it.each([
    ['quoted', '"quoted"', 'quoted'],
    ['of one character', '0', '"0"'],
    ['with spaces and signs', 'a key, with "spaces" & signs ~!', '"a key, with \\"spaces\\" & signs ~!"'],
    ['with escapes', 'a "\\ b', '"a \\"\\\\ b"'],
    ['of 255 characters', 'x'.repeat(255), `"${'x'.repeat(255)}"`],
    ['of 255 backslashes', '\\'.repeat(255), `"${'\\'.repeat(510)}"`],
    ['that ends with a quote', 'a"', '"a\\""'],
  ])('is the same with quotes around it and without: %s', async (_, one, other) => {
    const first = await lasting(await add(one));
    expect(first.status).toBe(201);
    expect(await lasting(await add(other))).toEqual(first);
    expect(await lasting(await add(one))).toEqual(first);
  });

  it.each([
    ['x', '"\\"x\\""'],
    ['"x2"', '"\\"x2\\""'],
    ['a\\b', '"a\\\\\\\\b"'],
  ])('is another one if its text is another: %s and %s', async (one, other) => {
    const [first, second] = [await lasting(await add(one)), await lasting(await add(other))];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.text).not.toBe(first.text);
    expect(await lasting(await add(other))).toEqual(second);
    expect(await lasting(await add(one))).toEqual(first);
  });

  it.each([
    ['empty', ''],
    ['an open string', '"a'],
    ['a lone quote', '"'],
    ['a string with an unescaped quote', '"a"b"'],
    ['a string with another escape', '"a\\b"'],
    ['a string that ends in an escape', '"a\\"'],
    ['a string with parameters', '"a";b=1'],
    ['two strings', '"a", "b"'],
    ['empty in quotes', '""'],
    ['256 characters in quotes', `"${'x'.repeat(256)}"`],
    ['256 characters', 'x'.repeat(256)],
    ['not ASCII', Buffer.from('ké').toString('latin1')],
    ['parted by a tab', 'a\tb'],
    ['sent twice', ['a', 'b']],
    ['sent twice alike', ['a', 'a']],
  ])('is refused if it is %s', async (_, idempotencyKey) => {
    const message = expect.stringContaining('Idempotency-Key must be');
    expect(await errorOf(await add(idempotencyKey))).toEqual({ ...INVALID, message });
  });

  it('is ignored by operations that do not accept it', async () => {
    const response = await service.request('/v1/pets', { key, headers: { 'Idempotency-Key': 'a\tb' } });
    expect(response.status).toBe(200);
  });

  it('is refused by operations whose response has a secret', async () => {
    const manager = await service.key({ account: 'manager', scopes: ['keys:manage'] });
    const keys = await countRows('api_keys');
    const [{ id = '' } = {}] = (await (await service.request('/v1/keys', { key: manager })).json()) as { id: string }[];
    const message =
      'Idempotency-Key must not be sent to this operation: its response contains a secret, which is not stored.';
    for (const path of ['/v1/keys', `/v1/keys/${id}/rotate`])
      expect(await errorOf(await add('secret', { as: manager, path, body: '{}' }))).toEqual({ ...INVALID, message });
    expect(await countRows('api_keys')).toBe(keys);
    const reader = await service.key({ account: 'manager', scopes: ['pets:read'] });
    const forbidden = add('secret', { as: reader, path: '/v1/keys', body: '{}' });
    expect(await refusalOf(forbidden)).toBe('403 insufficient_scope');
  });
});

it('a stored response of version 1, which is unreadable, is not repeated and not processed again', async () => {
  const account = 'of version 1';
  const one = await service.key({ account });
  await add('kept', { as: one });
  // Version 1 stored the fingerprint with the key, and the response encrypted.
  await service.database.query(
    `UPDATE "idempotency_records" SET "idempotency_key" = '"old"', "fingerprint" = 'other', "sealed_answer" = 'q83v' WHERE "idempotency_key" = 'kept'`,
  );
  const pets = await countRows('pets');
  for (const sent of ['"old"', 'old']) expect(await refusalOf(add(sent, { as: one }))).toBe(REUSED);
  expect(await countRows('pets')).toBe(pets);
});
