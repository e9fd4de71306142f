import { describe, expect, it } from '@jest/globals';
import { loadEnv } from '../src/platform/config/load-env.js';

/** The least and the most value of each setting that is an integer. */
const BOUNDS: readonly (readonly [name: string, least: number, most: number])[] = [
  ['PORT', 0, 65_535],
  ['MAX_CONNECTIONS', 1, 1_000_000],
  ['KEEP_ALIVE_SECONDS', 1, 86_400],
  ['DATABASE_POOL_SIZE', 1, 1_000],
  ['DATABASE_TIMEOUT_MS', 1, 3_600_000],
  ['DATABASE_TRANSACTION_TIMEOUT_MS', 1, 3_600_000],
  ['SLOW_STATEMENT_MS', 1, 3_600_000],
  ['REDIS_TIMEOUT_MS', 20, 10_000],
  ['METRICS_ACCOUNTS', 0, 1_000],
  ['AUDIT_RETENTION_DAYS', 0, 36_500],
  ['KEY_RETENTION_DAYS', 0, 36_500],
  ['EVENT_RETENTION_DAYS', 0, 36_500],
  ['ORDER_EXPIRY_HOURS', 0, 876_000],
  ['ANONYMOUS_PER_MINUTE', 1, 1_000_000_000],
  ['ANONYMOUS_PER_DAY', 1, 1_000_000_000],
];

/** A day that allows less than the minute would be another fault. */
const minuteBelow = (name: string, value: number) =>
  name === 'ANONYMOUS_PER_DAY' ? { ANONYMOUS_PER_MINUTE: String(Math.max(1, value)) } : {};
const dayAbove = (name: string) => (name === 'ANONYMOUS_PER_MINUTE' ? { ANONYMOUS_PER_DAY: '1000000000' } : {});
const load = (name: string, value: number) =>
  loadEnv({ ...minuteBelow(name, value), ...dayAbove(name), [name]: String(value) });

describe('an integer setting', () => {
  it.each(BOUNDS)('%s can be from %i to %i', (name, least, most) => {
    for (const value of [least, most]) expect(load(name, value)).toMatchObject({ [name]: value });
    for (const value of [least - 1, most + 1])
      expect(() => load(name, value)).toThrow(`${name} must be an integer from ${least} to ${most}`);
  });
});

describe('a setting that is a text', () => {
  it.each([
    ['WEBHOOK_KEY', 'k'.repeat(32)],
    ['WEBHOOK_KEY', 'k'.repeat(1_000)],
    ['PETSTORE_OPERATOR', 'ada.l-1@example_x'],
    ['PETSTORE_OPERATOR', 'a'.repeat(100)],
    ['REVISION', '0a1.b-2_c'],
    ['REVISION', 'a'.repeat(100)],
    ['REDIS_PREFIX', 'p'.repeat(100)],
    ['SECURITY_CONTACT', 'mailto:security@example.com'],
    ['SECURITY_CONTACT', 'https://example.com/security'],
  ])('is accepted: %s=%s', (name, value) => {
    expect(loadEnv({ [name]: value })).toMatchObject({ [name]: value });
  });

  it.each([
    ['WEBHOOK_KEY', 'k'.repeat(31)],
    ['WEBHOOK_KEY', 'k'.repeat(1_001)],
    ['WEBHOOK_KEY', `${'k'.repeat(40)}\u00e9`],
    ['PETSTORE_OPERATOR', 'ada l'],
    ['PETSTORE_OPERATOR', 'a'.repeat(101)],
    ['REVISION', 'main branch'],
    ['REVISION', 'a'.repeat(101)],
    ['REDIS_PREFIX', 'p'.repeat(101)],
    ['SECURITY_CONTACT', 'security@example.com'],
    ['SECURITY_CONTACT', 'http://example.com/security'],
    ['SECURITY_CONTACT', 'mailto:security'],
    ['TRUST_PROXY', '10.0.0.0/7'],
    ['TRUST_PROXY', 'fc00::/6'],
    ['WEBHOOK_ALLOW', '65536'],
    ['WEBHOOK_ALLOW', '0'],
    ['WEBHOOK_ALLOW', 'https'],
    ['WEBHOOK_ALLOW', '10.0.0.1'],
  ])('is refused: %s=%s', (name, value) => {
    expect(() => loadEnv({ [name]: value })).toThrow(`${name} must`);
  });

  it('has another default on staging if it is the prefix in Redis', () => {
    expect(loadEnv({ ENVIRONMENT: 'staging' }).REDIS_PREFIX).toBe('petstore-staging:');
    expect(loadEnv({ ENVIRONMENT: 'staging', REDIS_PREFIX: 'mine:' }).REDIS_PREFIX).toBe('mine:');
  });
});
