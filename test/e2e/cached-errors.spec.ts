import { Controller, Get, Header, Module, ServiceUnavailableException } from '@nestjs/common';
import { expect, it } from '@jest/globals';
import { Public } from '../../src/index.js';
import { service, shareApp } from '../support/folders.js';
import { addHandlers, throwing } from '../support/handlers.js';

@Controller('cached')
class CachedController {}

const failing = throwing(() => new ServiceUnavailableException('busy'));
addHandlers(CachedController, {
  shared: [Get('shared'), Public(), Header('cache-control', 'public, max-age=60'), failing],
  secret: [Get('secret'), Public(), Header('cache-control', 'private, no-store'), failing],
});

@Module({ controllers: [CachedController] })
class CachedModule {}

shareApp({ extensions: [{ module: CachedModule }] });

const cacheOf = ({ headers }: Response) => headers.get('cache-control');

it.each([
  [412, { 'If-Match': '"other"' }],
  [400, { 'If-None-Match': 'x'.repeat(5_000) }],
])('caches reuse no %i of a file that they can keep for a year', async (status, headers) => {
  const page = await (await service.request('/docs/plans')).text();
  const path = `/docs/${/assets\/[^"]+\/site\.css/.exec(page)?.[0]}`;
  expect(cacheOf(await service.request(path))).toContain('immutable');
  const refused = await service.request(path, { headers });
  expect([refused.status, cacheOf(refused)]).toEqual([status, 'no-cache']);
});

it.each([
  ['shared', 'no-cache'],
  ['secret', 'private, no-store'],
])('caches reuse no error of a handler, whatever it allows for a success: %s', async (name, expected) => {
  const refused = await service.request(`/v1/cached/${name}`);
  expect([refused.status, cacheOf(refused)]).toEqual([503, expected]);
});
