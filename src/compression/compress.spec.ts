import { describe, expect, it } from '@jest/globals';
import { negotiateCoding } from './compress.js';

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
