import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import type { Caller } from '../auth/caller.js';
import { Env } from '../platform/config/env.js';

const MAX_COUNTED = 100_000;

interface CountedAccount {
  readonly account: string;
  readonly outcomes: Map<string, number>;
  total: number;
}

/** Counts the decisions of admission, and with `METRICS_ACCOUNTS` those on the busiest accounts. */
@Injectable()
export class AdmissionMetrics {
  private readonly decisions;
  private readonly accounts = new Map<number, CountedAccount>();

  constructor(
    registry: Registry,
    private readonly env: Env,
  ) {
    const { METRICS_ACCOUNTS } = env;
    this.decisions = new Counter({
      name: 'petstore_admissions_total',
      help: 'Admission decisions by outcome and plan.',
      labelNames: ['outcome', 'plan'],
      registers: [registry],
    });
    if (METRICS_ACCOUNTS === 0) return;
    const requests: Counter<'account' | 'outcome'> = new Counter({
      name: 'petstore_account_requests_total',
      help: 'Admission decisions by account and outcome, of the accounts with most requests.',
      labelNames: ['account', 'outcome'],
      registers: [registry],
      collect: () => {
        requests.reset();
        const busiest = [...this.accounts.values()].toSorted((a, b) => b.total - a.total).slice(0, METRICS_ACCOUNTS);
        for (const { account, outcomes } of busiest)
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
    if (this.accounts.size < MAX_COUNTED) this.accounts.set(accountId, counted);
  }
}
