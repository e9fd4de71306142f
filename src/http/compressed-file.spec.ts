import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { CompressedFile } from './compressed-file.js';

const CONTENT = Buffer.from('{"name":"Bella"}'.repeat(1_000));

describe('a compressed file', () => {
  const server = fastify();
  const bodies: Buffer[] = [];

  beforeAll(() => {
    const file = new CompressedFile('application/json', CONTENT);
    server.get('/', async (_request, reply) => {
      const { body } = await file.negotiate(reply);
      bodies.push(body);
      return reply.send(body);
    });
  });
  afterAll(() => server.close());

  const get = (coding?: string) =>
    server.inject({ url: '/', headers: coding === undefined ? {} : { 'accept-encoding': coding } });

  it.each([
    'gzip',
    'GZIP',
    'gzip, deflate, br, zstd',
    'br;q=1.0 ,gzip;q=0.8',
    'br\t; q=1, gzip ; q=0.001',
    'gzip;q=1',
    '*;q=0, gzip',
  ])('is compressed for %s', async (coding) => {
    const { headers, rawPayload } = await get(coding);
    expect([headers['content-encoding'], headers.vary]).toEqual(['gzip', 'Accept-Encoding']);
    expect(rawPayload.length).toBeLessThan(CONTENT.length / 10);
    expect(gunzipSync(rawPayload)).toEqual(CONTENT);
  });

  it.each([
    undefined,
    '',
    'identity',
    'br, deflate',
    'xgzip, gzipped, gzip2',
    'gzip;q=0',
    'gzip ; q=0.000 , *',
    'gzip;Q=0.,br',
  ])('is plain for %s', async (coding) => {
    const { headers, rawPayload } = await get(coding);
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, 'Accept-Encoding']);
    expect(rawPayload).toEqual(CONTENT);
  });

  it.each(['gzip', 'identity'])('is encoded once for all requests that accept %s', async (coding) => {
    bodies.length = 0;
    await Promise.all([get(coding), get(coding)]);
    await get(coding);
    expect(bodies).toHaveLength(3);
    expect(new Set(bodies).size).toBe(1);
  });
});
