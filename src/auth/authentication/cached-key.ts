import type { ApiKey } from '../../api-keys/index.js';
import type { Caller } from '../caller.js';
import { type AuthenticationFailure, EXPIRED, REVOKED } from './refusals.js';
import { limitsOf } from '../../accounts/index.js';

/** A key that is cached in memory. Times are Unix time in milliseconds. */
export class CachedKey {
  readonly caller: Caller;
  private readonly expiresAtMs: number;
  private readonly revoked: boolean;
  /** Until then the key is valid without further checks. A request makes only this comparison. */
  validUntilMs: number;
  private freshUntilMs: number;

  /** @param key with its account */
  constructor(key: ApiKey, freshUntilMs: number) {
    this.caller = {
      keyId: key.id,
      accountId: key.accountId,
      account: key.account.name,
      plan: key.account.plan,
      limits: limitsOf(key.account),
      scopes: new Set(key.scopes.split(' ')),
      bansLiftedAtMs: key.bansLiftedAt ?? 0,
    };
    this.expiresAtMs = key.expiresAt ?? Infinity;
    this.revoked = key.revokedAt !== null;
    this.freshUntilMs = freshUntilMs;
    this.validUntilMs = this.computeValidUntil();
  }

  /** Whether the key need not be queried again yet. */
  isFresh(nowMs: number): boolean {
    return nowMs < this.freshUntilMs;
  }

  /** Postpones the next query. */
  keepUntil(freshUntilMs: number): void {
    this.freshUntilMs = freshUntilMs;
    this.validUntilMs = this.computeValidUntil();
  }

  /** The verdict on the key, whether or not it is fresh. */
  answer(nowMs: number): Caller | AuthenticationFailure {
    if (this.revoked) return REVOKED;
    return nowMs < this.expiresAtMs ? this.caller : EXPIRED;
  }

  private computeValidUntil(): number {
    return this.revoked ? -Infinity : Math.min(this.expiresAtMs, this.freshUntilMs);
  }
}
