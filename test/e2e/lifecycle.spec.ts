import { beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Res } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Deprecated, Operation, OperationGroup, type ResponseBody, sendPage } from '../../src/index.js';
import { fetchDocument, operationNamed, operationsOf } from '../openapi/document.js';
import { FakeClock } from '../support/app.js';
import { errorOf } from '../support/expectations.js';
import { extensionOf } from '../support/extensions.js';
import { key, service, shareApp } from '../support/folders.js';
import { ask, JSON_TYPE } from '../support/http.js';

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

const clock = new FakeClock();
const START = '2026-11-21T12:00:00Z';
let petId: number;

/** A list of an extension, on its way out. */
@OperationGroup('Toys', 'Toys for pets.')
@Controller('toys')
class ToysController {
  @Get()
  @Operation({
    id: 'listToys',
    summary: 'List toys',
    scope: 'pets:read',
    stability: 'beta',
    success: { status: 200, description: 'The toys.', type: [Object] },
    errors: [],
  })
  @Deprecated({
    since: '2026-11-21',
    sunset: '2031-06-01',
    successor: '/v1/games',
    advice: 'Use GET /v1/games.',
    documentation: 'https://example.org/toys',
  })
  listToys(@Res({ passthrough: true }) reply: FastifyReply): ResponseBody {
    return sendPage(reply, '/v1/toys', { limit: 1 }, { items: [1], nextAfter: 1 });
  }
}

/** An app for the tests of a `describe`, with one pet. */
function shareShop(env: Record<string, string> = {}): void {
  beforeAll(() => clock.set(START));
  shareApp({ clock, env, extensions: [extensionOf({ controllers: [ToysController] })] });
  beforeAll(async () => {
    petId = ((await (await service.post('/v1/pets', key, '{"name":"x","categoryId":1}')).json()) as { id: number }).id;
  });
}

const shown = ({ headers }: Response) => ({ deprecation: headers.get('deprecation'), sunset: headers.get('sunset') });
const shownWithLink = (response: Response) => ({ ...shown(response), link: response.headers.get('link') });

const document = () => fetchDocument(service);
const idsIn = (all: OpenAPIObject) => operationsOf(all).map(({ operation }) => String(operation.operationId));

describe('getPet', () => {
  shareShop();

  describe('before its removal', () => {
    it.each<[string, number, string, string | undefined, () => Promise<Response>]>([
      ['the pet', 200, '/v1/pets?ids=1', undefined, () => service.request(`/v1/pets/${petId}`, { key })],
      ['HEAD', 200, '/v1/pets?ids=1', undefined, () => service.request(`/v1/pets/${petId}`, { key, method: 'HEAD' })],
      ['an unknown pet', 404, '/v1/pets?ids=9000', 'pet_not_found', () => service.request('/v1/pets/9000', { key })],
      ['an invalid identifier', 404, '/v1/pets', 'pet_not_found', () => service.request('/v1/pets/abc', { key })],
      [
        'an unknown query parameter',
        400,
        '/v1/pets?ids=1',
        'validation_failed',
        () => service.request(`/v1/pets/${petId}?fields=name`, { key }),
      ],
    ])('has deprecation headers on %s', async (_, status, successor, code, call) => {
      const response = await call();
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
      ['another method of the same path', 405, () => service.request(`/v1/pets/${petId}`, { key, method: 'PUT' })],
      ['the same path without a key', 401, () => service.request(`/v1/pets/${petId}`)],
      [
        'a key without the scope',
        403,
        async () => service.request(`/v1/pets/${petId}`, { key: await service.key({ scopes: ['pets:write'] }) }),
      ],
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
      const response = await service.request(`/v1/pets/${petId}`, { key });
      expect([response.status, await response.json()]).toEqual([200, { id: petId, name: 'x', categoryId: 1 }]);
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

    it.each<[string, string, () => Promise<Response>]>([
      ['a pet', '/v1/pets?ids=1', () => service.request(`/v1/pets/${petId}`, { key })],
      ['an unknown pet', '/v1/pets?ids=9000', () => service.request('/v1/pets/9000', { key })],
      ['an invalid identifier', '/v1/pets', () => service.request('/v1/pets/abc', { key })],
      ['an unknown query parameter', '/v1/pets?ids=1', () => service.request(`/v1/pets/${petId}?fields=name`, { key })],
    ])('returns 410 with a link to its successor: %s', async (_, successor, call) => {
      const response = await call();
      expect(shownWithLink(response)).toEqual(deprecation(successor, 'operation_removed'));
      expect(await errorOf(response)).toMatchObject({
        status: 410,
        code: 'operation_removed',
        message: expect.stringContaining('/v1/pets'),
      });
    });

    it('still needs a key, and the scope', async () => {
      expect((await service.request(`/v1/pets/${petId}`)).status).toBe(401);
      const writer = await service.key({ scopes: ['pets:write'] });
      expect((await service.request(`/v1/pets/${petId}`, { key: writer })).status).toBe(403);
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
        await service.request(`/v1/pets/${petId}`, { key, method: 'PATCH', headers: JSON_TYPE, body: '{"name":"z"}' }),
        await service.request(`/v1/pets/${petId}`, { key, method: 'DELETE' }),
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
    expect(shownWithLink(await service.request(`/v1/pets/${petId}`, { key }))).toEqual({
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
    const response = await service.request(`/v1/pets/${petId}`, { key });
    expect(response.status).toBe(200);
    expect(shown(response)).toEqual({ deprecation: '@1795219200', sunset: 'Thu, 05 Dec 2030 00:00:00 GMT' });
    expect(idsIn(await document())).toContain('getPet');
  });
});
