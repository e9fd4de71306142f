import type { Caller } from '../../src/auth/caller.js';

/** A caller of an account on the plan Enterprise, without scopes. */
export function callerOf(changes: Partial<Caller> = {}): Caller {
  return {
    keyId: 'key',
    accountId: 1,
    account: 'a',
    plan: 'enterprise',
    limits: { perMinute: 3, perDay: 10 },
    scopes: new Set(),
    bansLiftedAtMs: 0,
    ...changes,
  };
}
