import { describe, expect, it } from '@jest/globals';
import { Database } from '../../src/index.js';
import { startApp } from '../support/app.js';
import { AMPLE, key, service, shareApp } from '../support/folders.js';
import { WEBHOOK_KEY } from '../support/webhook-settings.js';
import { callHook, createHook } from '../support/webhooks.js';

const MANAGER = { ...AMPLE, scopes: ['pets:read', 'webhooks:manage'] };

describe('URLs of webhooks', () => {
  shareApp({ env: { WEBHOOK_KEY, WEBHOOK_ALLOW: 'http,8080' } }, MANAGER);

  const NO_URI = 'url must be a URI with //, and without spaces, \\ and non-ASCII characters.';
  const INSIDE = 'url must not be an internal address.';
  const NOT_PLAIN = 'url must be an absolute https or http URL without credentials or a fragment.';
  it.each([
    ['http://127.0.0.1/', INSIDE],
    ['http://127.1/', INSIDE],
    ['http://0x7f.0.0.1/', INSIDE],
    ['http://[::ffff:7f00:1]/', INSIDE],
    ['http://①②⑦.⓪.⓪.①/', INSIDE],
    ['ftp://example.com/', NOT_PLAIN],
    ['https://user:secret@example.com/', NOT_PLAIN],
    ['https://user@example.com/', NOT_PLAIN],
    ['https://:secret@example.com/', NOT_PLAIN],
    ['https://example.com/#here', NOT_PLAIN],
    ['https://example.com:22/', 'url must use port 443 or 8080 or 80.'],
    ['/hooks', NOT_PLAIN],
    ['https://example.com\\@127.0.0.1/', NO_URI],
    ['https:example.com/', NO_URI],
    [' https://example.com/', NO_URI],
    ['https://example.com/a b', NO_URI],
    ['https://bücher.example/', NO_URI],
  ])('like %s are refused', async (url, message) => {
    expect(await service.json('/v1/webhooks', { key, body: { url } })).toMatchObject({
      status: 400,
      body: { message },
    });
  });

  it.each([
    ['that the settings allow no more', 'https://example.com:22/', 'url must use port 443 or 8080 or 80.'],
    [
      'whose name stands for an address inside',
      'http://localhost:8080/',
      'The host name of the receiver resolves to an internal address.',
    ],
  ])('%s are not connected to', async (_, url, error) => {
    const hook = await createHook('https://example.com/');
    await service.app.get(Database).query(`UPDATE "webhooks" SET "url" = '${url}' WHERE "id" = ${hook.id}`);
    expect((await callHook('POST', hook, '/test')).body).toEqual({ delivered: false, error });
  });
});

it('webhooks need a key that encrypts their secrets', async () => {
  const plain = await startApp();
  const { status, body } = await plain.json('/v1/webhooks', {
    key: await plain.key(MANAGER),
    body: { url: 'https://example.com/' },
  });
  expect([status, body]).toEqual([409, expect.objectContaining({ code: 'webhooks_not_configured' })]);
  await plain.stop();
});
