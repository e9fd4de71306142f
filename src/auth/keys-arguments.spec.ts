import { describe, expect, it } from '@jest/globals';
import { parseKeysArguments, UsageError } from './keys-arguments.js';

const parse = (line: string) => parseKeysArguments(line.split(' ').filter((word) => word !== ''));

describe('parseKeysArguments', () => {
  it.each(['help', '--help', '-h', 'list --help'])('understands "%s" as a wish for help', (line) => {
    expect(parse(line)).toEqual({ name: 'help' });
  });

  it('reads create with what it needs', () => {
    expect(parse('create --account acme --plan pro')).toEqual({
      name: 'create',
      newKey: { account: 'acme', plan: 'pro', test: false },
      json: false,
    });
  });

  it('reads create with everything', () => {
    const line =
      'create --account=acme --plan enterprise --per-minute 500 --per-day 9000 --scopes pets:read,orders:read --expires-in 90d --test --json';
    expect(parse(line)).toEqual({
      name: 'create',
      newKey: {
        account: 'acme',
        plan: 'enterprise',
        perMinute: 500,
        perDay: 9_000,
        scopes: ['pets:read', 'orders:read'],
        expiresInMs: 90 * 86_400_000,
        test: true,
      },
      json: true,
    });
  });

  it.each([
    ['list', { name: 'list', json: false }],
    ['list --json', { name: 'list', json: true }],
    ['revoke key_1', { name: 'revoke', id: 'key_1' }],
    ['unban key_1', { name: 'unban', id: 'key_1' }],
    ['rotate key_1', { name: 'rotate', id: 'key_1', overlapMs: 86_400_000, json: false }],
    ['rotate key_1 --overlap 15m --json', { name: 'rotate', id: 'key_1', overlapMs: 900_000, json: true }],
    ['rotate --overlap 0s key_1', { name: 'rotate', id: 'key_1', overlapMs: 0, json: false }],
    ['plan acme free', { name: 'plan', account: 'acme', plan: 'free', limits: {} }],
    [
      'plan acme enterprise --per-minute 5 --per-day 50',
      { name: 'plan', account: 'acme', plan: 'enterprise', limits: { perMinute: 5, perDay: 50 } },
    ],
  ])('reads "%s"', (line, command) => {
    expect(parse(line)).toEqual(command);
  });

  it.each([
    ['', 'Say what to do'],
    ['bogus', 'no command "bogus"'],
    ['create --plan pro', '--account is missing'],
    ['create --account acme', '--plan is missing'],
    ['create --account acme --plan gold', 'no plan "gold"; plans are free, pro, business, enterprise'],
    ['create --account acme --plan toString', 'no plan "toString"'],
    ['create --account acme --plan pro extra', '"extra" is one argument too many'],
    ['create --account acme --plan pro --colour red', '--colour'],
    ['create --account acme --plan pro --json=yes', '--json'],
    ['create --account', '--account'],
    ['create --account acme --plan pro --per-minute 1e3', '--per-minute must be an integer'],
    ['create --account acme --plan pro --per-day=-5', '--per-day must be an integer'],
    ['create --account acme --plan pro --per-day 0', '--per-day must be an integer'],
    ['create --account acme --plan pro --expires-in 90', '--expires-in must be a duration'],
    ['create --account acme --plan pro --expires-in 1y', '--expires-in must be a duration'],
    ['revoke', 'ID is missing'],
    ['revoke key_1 key_2', '"key_2" is one argument too many'],
    ['revoke key_1 --overlap 1h', '--overlap'],
    ['rotate key_1 --overlap 1.5h', '--overlap must be a duration'],
    ['plan acme', 'PLAN is missing'],
    ['list key_1', '"key_1" is one argument too many'],
  ])('refuses "%s" in one line', (line, message) => {
    expect(() => parse(line)).toThrow(UsageError);
    expect(() => parse(line)).toThrow(message);
    expect(() => parse(line)).not.toThrow('\n');
  });

  it.each([
    ['30s', 30_000],
    ['15m', 900_000],
    ['24h', 86_400_000],
    ['90d', 7_776_000_000],
    ['12w', 7_257_600_000],
  ])('reads the duration %s', (text, overlapMs) => {
    expect(parse(`rotate key_1 --overlap ${text}`)).toHaveProperty('overlapMs', overlapMs);
  });
});
