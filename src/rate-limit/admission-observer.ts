import { Injectable, Logger } from '@nestjs/common';
import { Counter, Registry } from '@prometheus-io/client';
import type { Caller } from '../auth/caller.js';
import { rfc3339 } from '../platform/config/clock.js';
import { Env } from '../platform/config/env.js';
import { RecurringTask } from '../platform/recurring-task.js';
import { networkOf } from './counter-store.js';
import type { Decision } from './windows/decision.js';

const LOG_INTERVAL_MS = 60_000;
/** Accounts and networks of one interval that have a line of their own. Others are counted together. */
const MAX_LINES = 20;
const MAX_REFUSED = 10_000;
/** Requests without a valid key in one interval that make a network worth a line. */
const MANY_UNAUTHENTICATED = 100;
const MAX_IN_METRICS = 100_000;

const logger = new Logger('Admission');

interface RefusedAccount extends Pick<Caller, 'accountId' | 'account' | 'plan'> {
  /** The last one that was refused. */
  keyId: string;
  limited: number;
  banned: number;
}

/**
 * Is told the decisions of admission. Counts them for the metrics, with `METRICS_ACCOUNTS` also by account. Logs who is
 * refused: each ban, and once a minute the accounts and the networks with their counts.
 */
@Injectable()
export class AdmissionObserver extends RecurringTask {
  private readonly decisions;
  private readonly accounts = new Map<number, { account: string; outcomes: Map<string, number>; total: number }>();
  private readonly refusals = new Map<number, RefusedAccount>();
  private readonly networks = new Map<string, number>();
  /** End of the last ban that was logged, by key. */
  private readonly bans = new Map<string, number>();

  constructor(
    registry: Registry,
    private readonly env: Env,
  ) {
    super('logging refusals', LOG_INTERVAL_MS, async () => this.log(), { runsAtStop: true });
    this.decisions = new Counter({
      name: 'petstore_admissions_total',
      help: 'Admission decisions by outcome and plan.',
      labelNames: ['outcome', 'plan'],
      registers: [registry],
    });
    if (env.METRICS_ACCOUNTS === 0) return;
    const requests: Counter<'account' | 'outcome'> = new Counter({
      name: 'petstore_account_requests_total',
      help: 'Admission decisions by account and outcome, of the accounts with most requests.',
      labelNames: ['account', 'outcome'],
      registers: [registry],
      collect: () => {
        requests.reset();
        const busiest = [...this.accounts.values()].toSorted((a, b) => b.total - a.total);
        for (const { account, outcomes } of busiest.slice(0, env.METRICS_ACCOUNTS))
          for (const [outcome, count] of outcomes) requests.inc({ account, outcome }, count);
      },
    });
  }

  unknown(outcome: 'unauthenticated' | 'address_limited' | 'unavailable'): void {
    this.decisions.inc({ plan: 'none', outcome });
  }

  decided({ plan, accountId, account }: Caller, outcome: string): void {
    this.decisions.inc({ plan, outcome });
    if (this.env.METRICS_ACCOUNTS === 0) return;
    const counted = this.accounts.get(accountId) ?? { account, outcomes: new Map<string, number>(), total: 0 };
    counted.outcomes.set(outcome, (counted.outcomes.get(outcome) ?? 0) + 1);
    counted.total += 1;
    if (this.accounts.size < MAX_IN_METRICS) this.accounts.set(accountId, counted);
  }

  /** Besides `decided`, if a limit of the plan or a ban refused the request. */
  refused({ accountId, account, plan, keyId }: Caller, { outcome, resetSeconds }: Decision): void {
    const refused = this.refusals.get(accountId) ?? { accountId, account, plan, keyId, limited: 0, banned: 0 };
    refused.keyId = keyId;
    refused[outcome === 'limited' ? 'limited' : 'banned'] += 1;
    if (this.refusals.size < MAX_REFUSED) this.refusals.set(accountId, refused);
    if (outcome !== 'banned' || this.bans.get(keyId) === resetSeconds) return;
    if (this.bans.size >= MAX_REFUSED) this.bans.clear();
    this.bans.set(keyId, resetSeconds);
    const until = rfc3339(resetSeconds * 1_000);
    logger.warn({ message: 'API key banned', keyId, accountId, account, plan, until });
  }

  /**
   * Counts a request without a valid key by its network, the /24 or the /64.
   * @param address from `rateLimitKey`, which cuts IPv6 to /64
   */
  unauthenticated(address: string): void {
    const network = networkOf(address);
    const count = this.networks.get(network) ?? 0;
    if (count > 0 || this.networks.size < MAX_REFUSED) this.networks.set(network, count + 1);
  }

  private log(): void {
    const accounts = [...this.refusals.values()].toSorted((a, b) => b.limited + b.banned - a.limited - a.banned);
    for (const account of accounts.slice(0, MAX_LINES)) logger.warn({ message: 'account refused', ...account });
    const others = accounts.slice(MAX_LINES);
    const requests = others.reduce((sum, { limited, banned }) => sum + limited + banned, 0);
    if (others.length > 0) logger.warn({ message: 'more accounts refused', accounts: others.length, requests });
    const networks = [...this.networks].filter(([, count]) => count >= MANY_UNAUTHENTICATED);
    for (const [network, count] of networks.toSorted(([, a], [, b]) => b - a).slice(0, MAX_LINES))
      logger.warn({ message: 'many requests without a valid key', network, count });
    this.refusals.clear();
    this.networks.clear();
  }
}
