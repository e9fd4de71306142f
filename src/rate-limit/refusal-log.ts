import { isIPv4 } from 'node:net';
import { Injectable, Logger } from '@nestjs/common';
import type { Caller } from '../auth/caller.js';
import { rfc3339 } from '../platform/config/clock.js';
import { RecurringTask } from '../platform/recurring-task.js';
import type { Decision } from './windows/decision.js';

const INTERVAL_MS = 60_000;
/** Accounts and networks of one interval that have a line of their own. Others are counted together. */
const MAX_LINES = 20;
const MAX_COUNTED = 10_000;
/** Requests without a valid key in one interval that make a network worth a line. */
const MANY_UNAUTHENTICATED = 100;

const logger = new Logger('Admission');

interface RefusedAccount {
  readonly accountId: number;
  readonly account: string;
  readonly plan: string;
  /** The last key that was refused. */
  keyId: string;
  limited: number;
  banned: number;
}

/** Tells operators who is refused: each ban, and once a minute the accounts and the networks with their counts. */
@Injectable()
export class RefusalLog extends RecurringTask {
  private accounts = new Map<number, RefusedAccount>();
  private networks = new Map<string, number>();
  /** End of the last ban that was logged, by key. */
  private readonly bans = new Map<string, number>();

  constructor() {
    super('logging refusals', INTERVAL_MS, async () => this.flush(), { runsAtStop: true });
  }

  refused({ accountId, account, plan, keyId }: Caller, { outcome, resetSeconds }: Decision): void {
    const counted = this.accounts.get(accountId) ?? { accountId, account, plan, keyId, limited: 0, banned: 0 };
    counted.keyId = keyId;
    if (outcome === 'limited') counted.limited += 1;
    else counted.banned += 1;
    if (this.accounts.size < MAX_COUNTED) this.accounts.set(accountId, counted);
    if (outcome !== 'banned' || this.bans.get(keyId) === resetSeconds) return;
    if (this.bans.size >= MAX_COUNTED) this.bans.clear();
    this.bans.set(keyId, resetSeconds);
    const until = rfc3339(resetSeconds * 1_000);
    logger.warn({ message: 'API key banned', keyId, accountId, account, plan, until });
  }

  /** Counts a request without a valid key, by the /24 or the /64 of its address. */
  unauthenticated(address: string): void {
    const network = networkOf(address);
    const count = this.networks.get(network) ?? 0;
    if (count > 0 || this.networks.size < MAX_COUNTED) this.networks.set(network, count + 1);
  }

  private flush(): void {
    const accounts = [...this.accounts.values()].toSorted((a, b) => b.limited + b.banned - a.limited - a.banned);
    for (const account of accounts.slice(0, MAX_LINES)) logger.warn({ message: 'account refused', ...account });
    const others = accounts.slice(MAX_LINES);
    const requests = others.reduce((sum, { limited, banned }) => sum + limited + banned, 0);
    if (others.length > 0) logger.warn({ message: 'more accounts refused', accounts: others.length, requests });
    const networks = [...this.networks].filter(([, count]) => count >= MANY_UNAUTHENTICATED);
    for (const [network, count] of networks.toSorted(([, a], [, b]) => b - a).slice(0, MAX_LINES))
      logger.warn({ message: 'many requests without a valid key', network, count });
    this.accounts = new Map();
    this.networks = new Map();
  }
}

/** @param address from `rateLimitKey`, which cuts IPv6 to /64 */
function networkOf(address: string): string {
  return isIPv4(address) ? `${address.slice(0, address.lastIndexOf('.'))}.0/24` : address;
}
