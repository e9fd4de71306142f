import { describe, expect, it } from '@jest/globals';
import { Database } from '../../src/index.js';
import { startApp } from '../support/app.js';
import { AMPLE, service, sharePreparedApp } from '../support/folders.js';
import { WEBHOOK_KEY } from '../support/webhook-settings.js';

const MANAGER = { ...AMPLE, scopes: ['pets:read', 'webhooks:manage'] };
let key: string;

describe('URLs of webhooks', () => {
  sharePreparedApp({ env: { WEBHOOK_KEY, WEBHOOK_ALLOW: 'http,8080' } }, async () => {
    key = await service.key(MANAGER);
  });

  it.each(
    `http://127.0.0.1/ http://127.1/ http://2130706433/ http://0x7f.0.0.1/ http://0177.0.0.1/ http://[::1]/
    http://[::ffff:127.0.0.1]/ http://[::ffff:7f00:1]/ http://[64:ff9b::7f00:1]/ http://169.254.169.254/latest/meta-data
    http://10.0.0.1/ http://100.64.0.1/ http://0.0.0.0/ http://[fe80::1]/ http://[fd00::1]/ http://224.0.0.1/
    http://[2002:7f00:1::]/ http://①②⑦.⓪.⓪.①/`.split(/\s+/),
  )('with addresses inside are refused: %s', async (url) => {
    const { status, body } = await service.json('/v1/webhooks', { key, body: { url } });
    expect([status, body]).toEqual([400, expect.objectContaining({ message: 'url must not be an internal address.' })]);
  });

  const NO_URI = 'url must be written as a URI, with // and without spaces, \\ and what is not ASCII.';
  const NOT_PLAIN = 'url must be an absolute https or http URL without credentials or a fragment.';
  it.each([
    ['ftp://example.com/', NOT_PLAIN],
    ['https://user:secret@example.com/', NOT_PLAIN],
    ['https://user@example.com/', NOT_PLAIN],
    ['https://:secret@example.com/', NOT_PLAIN],
    ['https://example.com/#here', NOT_PLAIN],
    ['https://example.com:22/', 'url must have the port 443 or 8080 or 80.'],
    ['/hooks', NOT_PLAIN],
    ['https://example.com\\@127.0.0.1/', NO_URI],
    ['https:example.com/', NO_URI],
    [' https://example.com/', NO_URI],
    ['https://example.com/a b', NO_URI],
    ['https://bücher.example/', NO_URI],
  ])('with another fault are refused: %s', async (url, message) => {
    expect(await service.json('/v1/webhooks', { key, body: { url } })).toMatchObject({
      status: 400,
      body: { message },
    });
  });

  it('that the settings allow no more are not connected to', async () => {
    const { body } = await service.json<{ id: number }>('/v1/webhooks', { key, body: { url: 'https://example.com/' } });
    await service.app.get(Database).query(`UPDATE "webhooks" SET "url" = 'https://example.com:22/'`);
    const test = await service.json(`/v1/webhooks/${body.id}/test`, { key, method: 'POST' });
    expect(test.body).toEqual({ delivered: false, error: 'url must have the port 443 or 8080 or 80.' });
  });

  it('whose name stands for an address inside are not connected to', async () => {
    const { body } = await service.json<{ id: number }>('/v1/webhooks', {
      key,
      body: { url: 'http://localhost:8080/' },
    });
    const test = await service.json(`/v1/webhooks/${body.id}/test`, { key, method: 'POST' });
    expect(test.body).toEqual({ delivered: false, error: 'The name of the receiver stands for an internal address.' });
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
