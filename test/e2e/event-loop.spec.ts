import { describe, expect, it } from '@jest/globals';
import { errorOf } from '../support/expectations.js';
import { key, service, shareApp } from '../support/folders.js';

/**
 * Many times what these requests take, as the slow way that each of them could find (a pattern that backtracks, a copy
 * for every key) takes seconds. The time of the client counts too, as it runs in the same thread.
 */
const LIMIT_MS = 250;
const BODY_BYTES = 16_384;
/** Collecting the garbage of other tests may take one of them long; a slow way takes all of them long. */
const ATTEMPTS = 5;

shareApp();

/** Fills what is left of 16 KiB between two texts with repetitions. */
const filled = (before: string, repeated: (index: number) => string, after: string) => {
  let body = before;
  for (let index = 0; body.length + repeated(index).length + after.length <= BODY_BYTES; index += 1)
    body += repeated(index);
  return body + after;
};

/**
 * Processor time that the event loop's thread spends on a request, which has to be refused, in milliseconds. Unlike time
 * on the clock, it is not longer on a machine that is busy with other things.
 */
async function processorMs(call: () => Promise<Response>): Promise<number> {
  const before = process.threadCpuUsage();
  const { status } = await errorOf(await call());
  const { user, system } = process.threadCpuUsage(before);
  if (status < 400 || status > 499) throw new Error(`The request was answered ${status}.`);
  return (user + system) / 1_000;
}

/** The first such time that is short enough; otherwise the last. */
async function quickestMs(call: () => Promise<Response>): Promise<number> {
  let ms = await processorMs(call);
  for (let attempt = 1; attempt < ATTEMPTS && ms >= LIMIT_MS; attempt += 1) ms = await processorMs(call);
  return ms;
}

const half = BODY_BYTES / 2;

describe('a hostile body is refused without blocking other requests', () => {
  it.each<[string, string]>([
    ['8,000 nested arrays', '['.repeat(half) + ']'.repeat(half)],
    ['8,000 nested arrays that never end', '['.repeat(BODY_BYTES)],
    ['2,000 nested objects', '{"a":'.repeat(2_700) + '1' + '}'.repeat(2_700)],
    ['objects nested just deeply enough to parse', `{"name":${'['.repeat(800)}${']'.repeat(800)},"categoryId":1}`],
    ['thousands of unknown keys', filled('{"name":"x"', (index) => `,"${index.toString(36)}":1`, '}')],
    ['one duplicate key over and over', filled('{"name":"x"', () => ',"a":1', '}')],
    ['a known key over and over', filled('{"categoryId":1.5', () => ',"categoryId":1.5', '}')],
    ['__proto__ over and over', filled('{"name":"x"', () => ',"__proto__":{}', '}')],
    ['16,000 digits', `{"name":"x","categoryId":${'9'.repeat(BODY_BYTES - 26)}}`],
    ['16,000 decimals', `{"name":"x","categoryId":1.${'0'.repeat(BODY_BYTES - 30)}1}`],
    ['16,000 zeros and an exponent', `{"name":"x","categoryId":1${'0'.repeat(BODY_BYTES - 40)}e-16000}`],
    ['thousands of large numbers', filled('{"name":[1', () => ',1e300', ']}')],
    ['an enormous exponent', '{"name":"x","categoryId":1e99999999}'],
    ['an enormous exponent below zero', '{"name":"x","categoryId":1e-99999999}'],
    ['a name of spaces', `{"name":"${' '.repeat(BODY_BYTES - 40)}","categoryId":1}`],
    ['a name of 510 spaces', `{"name":"${' '.repeat(510)}","categoryId":1}`],
    ['a name that makes expressions go back', `{"name":"${'x '.repeat(127)}\\u0001","categoryId":1}`],
    ['a name of combining marks', `{"name":"${'\u0301'.repeat(half - 40)}","categoryId":1}`],
    ['a name of escapes', `{"name":"${'\\ud83d\\ude00'.repeat(1_300)}","categoryId":1}`],
    ['a status of 16 KiB', `{"name":"x","categoryId":1,"status":"${'a'.repeat(BODY_BYTES - 50)}"}`],
    ['a key of 16 KiB', `{"${'a'.repeat(BODY_BYTES - 10)}":1}`],
  ])('%s', async (_, body) => {
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(BODY_BYTES);
    expect(await quickestMs(() => service.post('/v1/pets', key, body))).toBeLessThan(LIMIT_MS);
  });

  it('1 MB of it', async () => {
    expect(await quickestMs(() => service.post('/v1/pets', key, '{"a":'.repeat(200_000)))).toBeLessThan(LIMIT_MS);
  });
});

describe('a hostile target or header is refused without blocking other requests', () => {
  const LONG = 12_000;

  it.each<[string, string]>([
    ['thousands of query parameters', `/v1/pets?${'a&'.repeat(LONG / 2)}`],
    ['one parameter over and over', `/v1/pets?${'limit=1&'.repeat(LONG / 8)}`],
    ['a parameter of digits', `/v1/pets?after=${'9'.repeat(LONG)}`],
    ['an identifier of digits', `/v1/pets/${'9'.repeat(LONG)}`],
    ['percent signs', `/v1/pets/${'%'.repeat(LONG)}`],
    ['percent signs in the query', `/v1/pets?limit=${'%'.repeat(LONG)}`],
    ['slashes', `/v1/pets${'/'.repeat(LONG)}`],
    ['an encoded prefix over and over', `/v1${'%2Fv1'.repeat(LONG / 5)}`],
  ])('%s', async (_, path) => {
    expect(await quickestMs(() => service.request(path, { key }))).toBeLessThan(LIMIT_MS);
  });

  it.each<[string, Record<string, string>]>([
    ['a key of 12,000 characters', { Authorization: `Bearer psk_live_${'a'.repeat(LONG)}` }],
    ['a scheme and spaces', { Authorization: `Bearer${' '.repeat(LONG)}!` }],
    ['padding', { Authorization: `Bearer a${'='.repeat(LONG)}!` }],
    ['hops', { 'X-Forwarded-For': '1.2.3.4,'.repeat(LONG / 8) }],
    ['a media type', { 'Content-Type': `application/json${' '.repeat(LONG)}x` }],
    ['a request id', { 'X-Request-Id': 'a'.repeat(LONG) }],
  ])('%s', async (_, headers) => {
    expect(await quickestMs(() => service.request('/v1/pets', { headers }))).toBeLessThan(LIMIT_MS);
  });
});
