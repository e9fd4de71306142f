import { describe, expect, it } from '@jest/globals';
import { EXPIRED, INVALID, MISSING, PAUSED, REVOKED } from './unauthorized.js';
import { readBearerToken } from './bearer.guard.js';

function request(...rawHeaders: string[]) {
  const index = rawHeaders.findIndex((name, position) => position % 2 === 0 && name.toLowerCase() === 'authorization');
  return {
    url: '/v1/pets',
    headers: { authorization: index < 0 ? undefined : rawHeaders[index + 1] },
    raw: { rawHeaders },
  };
}

describe('readBearerToken', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER abc', 'abc'],
    ['Bearer    abc', 'abc'],
    ['Bearer a.b-c_d~e+f/g==', 'a.b-c_d~e+f/g=='],
    ['Bearer bearer', 'bearer'],
  ])('reads "%s"', (header, token) => {
    expect(readBearerToken(request('Host', 'x', 'Authorization', header))).toBe(token);
  });

  it.each([
    '',
    'Bearer',
    'bearer ',
    'Basic dXNlcjpwYXNz',
    'psk_live_abc',
    'Bearerabc',
    'Digest Bearer abc',
    'Bearer,abc',
  ])('finds no token in "%s"', (header) => {
    expect(readBearerToken(request('Authorization', header))).toHaveProperty('code', 'missing_api_key');
  });

  it.each([
    'Bearer a b',
    'Bearer a,b',
    'Bearer a, Bearer b',
    'Bearer\ta',
    'Bearer =a',
    'Bearer a=b',
    'Bearer "a"',
    'Bearer ä',
  ])('refuses the malformed "%s"', (header) => {
    expect(readBearerToken(request('Authorization', header))).toHaveProperty('code', 'invalid_api_key');
  });

  it('finds no token without the header', () => {
    expect(readBearerToken(request('X-Authorization', 'Bearer abc'))).toHaveProperty('code', 'missing_api_key');
  });

  it('accepts the header name in any case', () => {
    expect(readBearerToken(request('aUTHORIZATION', 'Bearer abc'))).toBe('abc');
  });

  it.each([
    ['the same', 'Bearer abc'],
    ['another', 'Basic abc'],
  ])('refuses two headers, the second with %s value', (_, second) => {
    const response = readBearerToken(request('Authorization', 'Bearer abc', 'Host', 'x', 'authorization', second));
    expect(response).toHaveProperty('code', 'invalid_api_key');
  });

  it('does not take a header value for a header name', () => {
    expect(readBearerToken(request('X-First', 'authorization', 'Authorization', 'Bearer abc'))).toBe('abc');
  });
});

describe('the challenge of a 401', () => {
  it('contains no error code if no token was sent', () => {
    expect(MISSING.headers).toEqual({ 'www-authenticate': 'Bearer realm="petstore"' });
  });

  it.each([INVALID, EXPIRED, REVOKED, PAUSED])('contains the error code for $code', (refusal) => {
    expect(refusal.headers).toEqual({ 'www-authenticate': 'Bearer realm="petstore", error="invalid_token"' });
  });
});
