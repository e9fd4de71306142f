import type { ApiKey } from '../../api-keys/index.js';
import { type Caller, callerOf, type Verdict } from '../caller.js';
import { EXPIRED, REVOKED } from './refusals.js';

/** A key that is cached in memory. Times are Unix time in milliseconds. */
export class CachedKey {
  readonly caller: Caller;
  private readonly expiresAtMs: number;
  private readonly isRevoked: boolean;

  /**
   * @param key with its account
   * @param freshUntilMs until when it need not be queried again
   */
  constructor(
    key: ApiKey,
    public freshUntilMs: number,
  ) {
    this.caller = callerOf(key);
    this.expiresAtMs = key.expiresAt ?? Infinity;
    this.isRevoked = key.revokedAt !== null;
  }

  /** The verdict on the key, whether or not it is fresh. */
  answer(nowMs: number): Verdict {
    if (this.isRevoked) return REVOKED;
    return nowMs < this.expiresAtMs ? this.caller : EXPIRED;
  }
}
