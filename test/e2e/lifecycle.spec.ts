import { beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Deprecated, Operation, OperationGroup, sendPage } from '../../src/index.js';
import { fetchDocument, operationNamed, operationsOf } from '../openapi/document.js';
import { FakeClock } from '../support/app.js';
import { errorOf } from '../support/expectations.js';
import { extensionOf } from '../support/extensions.js';
import { key, newPet, service, shareApp } from '../support/folders.js';
import { addHandlers, returning } from '../support/handlers.js';
import { ask, JSON_TYPE } from '../support/http.js';
import { operationsOf as optionsOf } from '../support/operations.js';

/** RFC 9745, RFC 8594, and RFC 8288 with the relations of RFC 5829 and RFC 9745. */
const deprecation = (successor: string, code?: string) => ({
  deprecation: '@1795219200',
  sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  link:
    `<${successor}>; rel="successor-version", </docs#/Pets/getPet>; rel="deprecation"; type="text/html"` +
    (code === undefined ? '' : `, ${help(code)}`),
});
const help = (code: string) => `</docs/errors#${code}>; rel="help"`;
const NONE = { deprecation: null, sunset: null };
const WRITER = { scopes: ['pets:write'] };

const clock = new FakeClock();
const START = '2026-11-21T12:00:00Z';
const PET = '/v1/pets/1';

/** A list of an extension, on its way out. */
@OperationGroup('Toys', 'Toys for pets.')
@Controller('toys')
class ToysController {}

const toys = optionsOf('pets:read', 'List toys');

addHandlers(ToysController, {
  list: [
    Get(),
    Operation(toys('listToys', { success: { status: 200, description: 'Toys.', type: [Object] } })),
    Deprecated({
      since: '2026-11-21',
      sunset: '2031-06-01',
      successor: '/v1/games',
      advice: 'Use GET /v1/games.',
      documentation: 'https://example.org/toys',
    }),
    returning((reply) => sendPage(reply, '/v1/toys', { limit: 1 }, { items: [1], nextAfter: 1 })),
  ],
});

/** An app for the tests of a `describe`, with one pet. */
function shareShop(env: Record<string, string> = {}): void {
  beforeAll(() => clock.set(START));
  shareApp({ clock, env, extensions: [extensionOf({ controllers: [ToysController] })] }, {}, () => newPet('x'));
}

const shown = ({ headers }: Response) => ({ deprecation: headers.get('deprecation'), sunset: headers.get('sunset') });
const shownWithLink = (response: Response) => ({ ...shown(response), link: response.headers.get('link') });

/** Requests of getPet, the status before its removal, its successor, and the code of an error. */
const REQUESTS: readonly [string, string, string, number, string, string | undefined][] = [
  ['the pet', 'GET', PET, 200, '/v1/pets?ids=1', undefined],
  ['an unknown pet', 'GET', '/v1/pets/9000', 404, '/v1/pets?ids=9000', 'pet_not_found'],
  ['an invalid identifier', 'GET', '/v1/pets/abc', 404, '/v1/pets', 'pet_not_found'],
  ['an unknown query parameter', 'GET', `${PET}?fields=name`, 400, '/v1/pets?ids=1', 'validation_failed'],
  ['HEAD', 'HEAD', PET, 200, '/v1/pets?ids=1', undefined],
];

const document = () => fetchDocument(service);
const idsIn = (all: OpenAPIObject) => operationsOf(all).map(({ operation }) => String(operation.operationId));

describe('getPet', () => {
  shareShop();

  describe('before its removal', () => {
    it.each(REQUESTS)('has deprecation headers on %s', async (_, method, path, status, successor, code) => {
      const response = await service.request(path, { key, method });
      expect(response.status).toBe(status);
      expect(shownWithLink(response)).toEqual(deprecation(successor, code));
    });

    it.each<[string, number, () => Promise<Response>]>([
      ['the list', 200, () => service.request('/v1/pets', { key })],
      ['a refused list', 400, () => service.request('/v1/pets?limit=0', { key })],
      ['a new pet', 201, () => service.post('/v1/pets', key, '{"name":"x","categoryId":1}')],
      ['an unknown path', 404, () => service.request('/v1/nothing', { key })],
      ['the path of the list with a slash', 404, () => ask(service.port, { path: '/v1/pets/', key })],
      ['that with a query', 404, () => ask(service.port, { path: '/v1/pets/?limit=1', key })],
      ['HEAD of that', 404, () => ask(service.port, { method: 'HEAD', path: '/v1/pets/', key })],
      ['another method of the same path', 405, () => service.request(PET, { key, method: 'PUT' })],
      ['the same path without a key', 401, () => service.request(PET)],
      ['a key without the scope', 403, async () => service.request(PET, { key: await service.key(WRITER) })],
    ])('has no deprecation headers on %s', async (_, status, call) => {
      const response = await call();
      expect(response.status).toBe(status);
      expect(shown(response)).toEqual(NONE);
      const link = response.headers.get('link') ?? '';
      expect(link).toMatch(status < 400 ? /^$/ : /^<\/docs\/errors#\w+>; rel="help"$/);
    });

    it('is marked in the document, with its removal date and what replaces it', async () => {
      const { operation } = operationNamed(await document(), 'getPet');
      expect(operation).toMatchObject({ deprecated: true, 'x-sunset': '2030-12-05', 'x-stability': 'stable' });
      expect(operation.description).toContain(
        '**Deprecated.** Will be removed on 2030-12-05. Use GET /v1/pets instead: with ids, such as ?ids=1, for a single pet',
      );
      expect(operationNamed(await document(), 'listPets').operation.deprecated).toBeUndefined();
      // Admission announces no deprecation, but can return 503.
      expect(operation.responses).toMatchObject({
        200: { headers: { Sunset: { $ref: '#/components/headers/Sunset' } } },
        503: { headers: { Sunset: { $ref: '#/components/headers/OptionalSunset' } } },
      });
    });

    it('shares a header of links with the link to the next page', async () => {
      const deprecated =
        '</v1/games>; rel="successor-version", <https://example.org/toys>; rel="deprecation"; type="text/html"';
      for (const method of ['GET', 'HEAD']) {
        const response = await service.request('/v1/toys', { key, method });
        expect([response.status, response.headers.get('link')]).toEqual([
          200,
          `${deprecated}, </v1/toys?limit=1&after=1>; rel="next"`,
        ]);
      }
    });

    it('works and is documented until the last millisecond', async () => {
      clock.set('2030-12-04T23:59:59.999Z');
      const { status, body } = await service.json(PET, { key });
      expect([status, body]).toEqual([200, { id: 1, name: 'x', categoryId: 1 }]);
      expect(idsIn(await document())).toContain('getPet');
      clock.set(START);
    });
  });

  describe('from its removal on', () => {
    let before: string[];

    beforeAll(async () => {
      before = idsIn(await document());
      clock.set('2030-12-05T00:00:00.000Z');
    });

    const gets = REQUESTS.filter(([, method]) => method === 'GET');
    it.each(gets)('returns 410 with a link to its successor: %s', async (_, _method, path, _status, successor) => {
      const response = await service.request(path, { key });
      expect(shownWithLink(response)).toEqual(deprecation(successor, 'operation_removed'));
      expect(await errorOf(response)).toMatchObject({
        status: 410,
        code: 'operation_removed',
        message: expect.stringContaining('/v1/pets'),
      });
    });

    it('still needs a key, and the scope', async () => {
      expect((await service.request(PET)).status).toBe(401);
      expect((await service.request(PET, { key: await service.key(WRITER) })).status).toBe(403);
    });

    it('is the only operation removed from the document, in JSON and YAML', async () => {
      const after = idsIn(await document());
      expect(before).toContain('getPet');
      expect(after).toEqual(before.filter((id) => id !== 'getPet'));
      const yaml = await (await service.request('/openapi.yaml')).text();
      expect(yaml.split('\nwebhooks:')[0]?.match(/(?<=^ +operationId: )\w+$/gm)).toEqual(after);
    });

    it('does not affect other operations', async () => {
      const responses = [
        await service.request('/v1/pets', { key }),
        await service.post('/v1/pets', key, '{"name":"y","categoryId":1}'),
        await service.request(PET, { key, method: 'PATCH', headers: JSON_TYPE, body: '{"name":"z"}' }),
        await service.request(PET, { key, method: 'DELETE' }),
        await service.request('/v1/categories', { key }),
        await service.request('/v1/store/orders', { key }),
        await service.request('/v1/usage', { key }),
      ];
      expect(responses.map(({ status }) => status)).toEqual([200, 201, 200, 204, 200, 200, 200]);
      expect(responses.map(shown)).toEqual(responses.map(() => NONE));
    });
  });
});

describe('below the path of BASE_URL', () => {
  shareShop({ BASE_URL: 'https://api.example.com/shop/v1', SERVE_AFTER_SUNSET: 'true' });

  it('are the links of a deprecated operation', async () => {
    expect(shownWithLink(await service.request(PET, { key }))).toEqual({
      ...deprecation('/v1/pets'),
      link:
        '<https://api.example.com/shop/v1/pets?ids=1>; rel="successor-version", ' +
        '<https://api.example.com/shop/docs#/Pets/getPet>; rel="deprecation"; type="text/html"',
    });
    expect((await service.request('/v1/toys', { key })).headers.get('link')).toContain(
      '<https://api.example.com/shop/v1/games>; rel="successor-version", <https://example.org/toys>; rel="deprecation"',
    );
  });

  it('getPet stays available, deprecated and documented with SERVE_AFTER_SUNSET', async () => {
    clock.set('2031-06-01T00:00:00Z');
    const response = await service.request(PET, { key });
    expect(response.status).toBe(200);
    expect(shown(response)).toEqual({ deprecation: '@1795219200', sunset: 'Thu, 05 Dec 2030 00:00:00 GMT' });
    expect(idsIn(await document())).toContain('getPet');
  });
});
