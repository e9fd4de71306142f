import { describe, expect, it } from '@jest/globals';
import { parseKeysArguments, UsageError } from './keys-arguments.js';

const parse = (line: string) => parseKeysArguments(line.split(' ').filter((word) => word !== ''));

describe('parseKeysArguments', () => {
  it.each(['help', '--help', '-h', 'list --help'])('reads "%s" as help', (line) => {
    expect(parse(line)).toEqual({ name: 'help' });
  });

  it('reads create with the required options', () => {
    expect(parse('create --account acme --plan pro')).toEqual({
      name: 'create',
      newKey: { account: 'acme', plan: 'pro' },
      json: false,
    });
  });

  it('reads create with all options', () => {
    const line =
      'create --account=acme --plan enterprise --per-minute 500 --per-day 9000 --scopes pets:read,orders:read --expires-in 90d --name ci --json';
    expect(parse(line)).toEqual({
      name: 'create',
      newKey: {
        account: 'acme',
        plan: 'enterprise',
        perMinute: 500,
        perDay: 9_000,
        name: 'ci',
        scopes: ['pets:read', 'orders:read'],
        expiresInMs: 90 * 86_400_000,
      },
      json: true,
    });
  });

  it.each([
    ['list', { name: 'list', json: false }],
    ['list --json', { name: 'list', json: true }],
    ['usage acme', { name: 'usage', account: 'acme', json: false }],
    ['usage --json acme', { name: 'usage', account: 'acme', json: true }],
    ['revoke key_1', { name: 'revoke', id: 'key_1' }],
    ['unban key_1', { name: 'unban', id: 'key_1' }],
    ['scopes key_1 a:b,c:d', { name: 'scopes', id: 'key_1', scopes: ['a:b', 'c:d'], json: false }],
    ['scopes --json key_1 pets:read', { name: 'scopes', id: 'key_1', scopes: ['pets:read'], json: true }],
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
    ['', 'Missing command'],
    ['bogus', 'Unknown command "bogus"'],
    ['usage', 'Missing ACCOUNT'],
    ['create --plan pro', 'Missing --account'],
    ['create --account acme', 'Missing --plan'],
    ['create --account acme --plan gold', 'Unknown plan "gold". Plans: free, pro, business, enterprise'],
    ['create --account acme --plan toString', 'Unknown plan "toString"'],
    ['create --account acme --plan pro --plan free', '--plan is given more than once'],
    ['list --json --json', '--json is given more than once'],
    ['create --account acme --plan pro extra', 'Unexpected argument "extra"'],
    ['create --account acme --plan pro --colour red', '--colour'],
    ['create --account acme --plan pro --json=yes', '--json'],
    ['create --account', '--account'],
    ['create --account acme --plan pro --per-minute 1e3', '--per-minute must be an integer'],
    ['create --account acme --plan pro --per-day=-5', '--per-day must be an integer'],
    ['create --account acme --plan pro --per-day 0', '--per-day must be an integer'],
    ['create --account acme --plan pro --expires-in 90', '--expires-in must be a duration'],
    ['create --account acme --plan pro --expires-in 1y', '--expires-in must be a duration'],
    ['revoke', 'Missing ID'],
    ['revoke key_1 key_2', 'Unexpected argument "key_2"'],
    ['revoke key_1 --overlap 1h', '--overlap'],
    ['scopes key_1', 'Missing SCOPES'],
    ['scopes', 'Missing ID'],
    ['scopes key_1 pets:read pets:write', 'Unexpected argument "pets:write"'],
    ['rotate key_1 --overlap 1.5h', '--overlap must be a duration'],
    ['plan acme', 'Missing PLAN'],
    ['list key_1', 'Unexpected argument "key_1"'],
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
