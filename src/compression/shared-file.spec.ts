import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { SharedFile } from './shared-file.js';

const CONTENT = Buffer.from('{"name":"Bella"}'.repeat(1_000));

const newFile = (contentType = 'application/json') => new SharedFile(contentType, CONTENT);
const etagsOf = async (file: SharedFile) => [
  (await file.in('br')).etag,
  (await file.in('gzip')).etag,
  (await file.in('identity')).etag,
];

describe('a shared file', () => {
  it('is smaller when compressed, and equal after decompression', async () => {
    const file = newFile();
    const [br, gzip, identity] = await Promise.all([file.in('br'), file.in('gzip'), file.in('identity')]);
    expect(brotliDecompressSync(br.body)).toEqual(CONTENT);
    expect(gunzipSync(gzip.body)).toEqual(CONTENT);
    expect(identity.body).toEqual(CONTENT);
    for (const { body } of [br, gzip]) expect(body.length).toBeLessThan(CONTENT.length / 10);
  });

  it.each(['br', 'gzip', 'identity'] as const)('is encoded once for all requests that accept %s', async (coding) => {
    const file = newFile();
    const [first, second] = await Promise.all([file.in(coding), file.in(coding)]);
    const later = await file.in(coding);
    expect(second.body).toBe(first.body);
    expect(later.body).toBe(first.body);
  });

  it('has one validator per content and coding', async () => {
    expect(new Set(await etagsOf(newFile())).size).toBe(3);
    expect(await etagsOf(newFile())).toEqual(await etagsOf(newFile()));
  });

  it('is not compressed if it is an image', async () => {
    expect(await newFile('image/png').in('br')).toMatchObject({ coding: 'identity', body: CONTENT });
  });
});
