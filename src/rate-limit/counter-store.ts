import type { Caller } from '../auth/index.js';
import type { Decision, UsageReport } from './windows/decision.js';

/**
 * Counts requests against windows and bans, atomically. All quota decisions of the service are made here.
 * An implementation that knows at once answers without a promise, which spares the request a turn.
 */
export abstract class CounterStore {
  /** Takes one from both windows of the account or from neither; a rejection counts towards a ban of the key. */
  abstract admit(caller: Caller): Decision | Promise<Decision>;

  /** What the caller has left, without taking or counting anything. */
  abstract peek(caller: Caller): UsageReport | Promise<UsageReport>;

  /**
   * Counts a failed authentication against the windows of the address it came from; addresses are never banned.
   * @param address as `rateLimitKey` gives it
   */
  abstract admitAddress(address: string): Decision | Promise<Decision>;

  /** What `admitAddress` would find, without counting anything: `remaining` is what is left at the moment. */
  abstract peekAddress(address: string): Decision | Promise<Decision>;

  /**
   * Takes one from a route's own fixed window, which the first admitted request opens.
   * @param subject names the route and whose requests are counted
   */
  abstract takeFromRoute(subject: string, limit: number, windowSeconds: number): Decision | Promise<Decision>;
}
