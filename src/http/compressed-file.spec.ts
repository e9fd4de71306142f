import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { CompressedFile, negotiateCoding } from './compressed-file.js';

const CONTENT = Buffer.from('{"name":"Bella"}'.repeat(1_000));

describe('the content coding of a file', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['GZIP', 'gzip'],
    ['br;q=0.1, gzip;q=1.0', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['br ; q=0.000 , gzip ; q=0.001', 'gzip'],
    ['*', 'br'],
    ['*;q=0, gzip', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['gzip;q=0, br;q=0', 'identity'],
    ['gzip;q=high', 'identity'],
    ['identity', 'identity'],
    ['zstd, deflate', 'identity'],
    ['', 'identity'],
    [undefined, 'identity'],
  ])('for Accept-Encoding %j is %s', (field, coding) => {
    expect(negotiateCoding(field)).toBe(coding);
  });
});

describe('a compressed file', () => {
  const server = fastify();
  const bodies: Buffer[] = [];
  const etags: string[] = [];

  beforeAll(() => {
    for (const [path, contentType] of [
      ['/json', 'application/json'],
      ['/image', 'image/png'],
    ] as const) {
      const file = new CompressedFile(contentType, CONTENT);
      server.get(path, async (_request, reply) => {
        const { body, etag } = await file.negotiate(reply);
        bodies.push(body);
        etags.push(etag);
        return reply.send(body);
      });
    }
  });
  afterAll(() => server.close());

  const get = (url: string, coding: string) => server.inject({ url, headers: { 'accept-encoding': coding } });

  it('is smaller when compressed, and equal after decompression', async () => {
    const [br, gzip, identity] = [await get('/json', 'br'), await get('/json', 'gzip'), await get('/json', 'identity')];
    expect(brotliDecompressSync(br.rawPayload)).toEqual(CONTENT);
    expect(gunzipSync(gzip.rawPayload)).toEqual(CONTENT);
    expect(identity.rawPayload).toEqual(CONTENT);
    for (const { rawPayload } of [br, gzip]) expect(rawPayload.length).toBeLessThan(CONTENT.length / 10);
    expect([br, gzip, identity].map(({ headers }) => headers['content-encoding'])).toEqual(['br', 'gzip', undefined]);
    expect([br, gzip, identity].map(({ headers }) => headers.vary)).toEqual(Array(3).fill('Accept-Encoding'));
  });

  it.each(['br', 'gzip', 'identity'])('is encoded once for all requests that accept %s', async (coding) => {
    bodies.length = 0;
    await Promise.all([get('/json', coding), get('/json', coding)]);
    await get('/json', coding);
    expect(bodies).toHaveLength(3);
    expect(new Set(bodies).size).toBe(1);
  });

  it('has one validator per content and coding', async () => {
    etags.length = 0;
    for (const coding of ['br', 'gzip', 'identity', 'br']) await get('/json', coding);
    expect(new Set(etags).size).toBe(3);
    expect(etags[3]).toBe(etags[0]);
  });

  it('is not compressed if it is an image', async () => {
    const { headers, rawPayload } = await get('/image', 'br');
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined]);
    expect(rawPayload).toEqual(CONTENT);
  });
});
