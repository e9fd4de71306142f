import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Registry } from '@prometheus-io/client';
import type { Caller } from '../auth/caller.js';
import { Env } from '../platform/config/env.js';
import { AdmissionObserver } from './admission-observer.js';
import type { Decision } from './windows/decision.js';

const UNTIL_SECONDS = Date.parse('2026-11-21T12:01:00Z') / 1_000;
/** More than have a line of their own. */
const MANY = 23;

let observer: AdmissionObserver;
let warn: jest.SpiedFunction<Logger['warn']>;

beforeEach(() => {
  observer = new AdmissionObserver(new Registry(), new Env());
  warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
});

const lines = () => warn.mock.calls.map(([line]) => line as Record<string, unknown>);
const callerOf = (accountId: number, keyId = `key of ${accountId}`) =>
  ({ accountId, account: `account ${accountId}`, plan: 'pro', keyId }) as Caller;
const refuse = (caller: Caller, outcome: Decision['outcome'], resetSeconds = UNTIL_SECONDS) =>
  observer.refused(caller, { outcome, resetSeconds } as Decision);

describe('the log of refusals', () => {
  it('has the accounts with most refusals first, limited or banned, and the sum of the others', async () => {
    for (let account = 1; account <= MANY; account += 1)
      for (let n = 0; n < account; n += 1) refuse(callerOf(account), n % 2 === 0 ? 'limited' : 'banned');
    warn.mockClear();
    await observer.run();
    const named = Array.from({ length: 20 }, (_, n) => MANY - n);
    expect(lines()).toEqual([
      ...named.map((count) => ({
        message: 'account refused',
        accountId: count,
        account: `account ${count}`,
        plan: 'pro',
        keyId: `key of ${count}`,
        limited: Math.ceil(count / 2),
        banned: Math.floor(count / 2),
      })),
      { message: 'more accounts refused', accounts: 3, requests: 1 + 2 + 3 },
    ]);
  });

  it('names the last key of an account that was refused', async () => {
    for (const keyId of ['first', 'last']) refuse(callerOf(1, keyId), 'limited');
    await observer.run();
    expect(lines()).toMatchObject([{ keyId: 'last', limited: 2, banned: 0 }]);
  });

  it('has the networks with a hundred requests without a valid key, those with most first', async () => {
    for (let network = 0; network <= MANY; network += 1)
      for (let n = 0; n < 99 + network; n += 1) observer.unauthenticated(`192.0.${network}.${n % 250}`);
    await observer.run();
    expect(lines()).toEqual(
      Array.from({ length: 20 }, (_, n) => ({
        message: 'many requests without a valid key',
        network: `192.0.${MANY - n}.0/24`,
        count: 99 + MANY - n,
      })),
    );
  });

  it('has each ban of a key once, at once', () => {
    for (const end of [UNTIL_SECONDS, UNTIL_SECONDS, UNTIL_SECONDS + 300]) refuse(callerOf(1), 'banned', end);
    expect(lines()).toMatchObject([
      { message: 'API key banned', keyId: 'key of 1', accountId: 1, until: '2026-11-21T12:01:00.000Z' },
      { message: 'API key banned', until: '2026-11-21T12:06:00.000Z' },
    ]);
  });
});
