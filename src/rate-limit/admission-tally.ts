import { Injectable } from '@nestjs/common';

export type AdmissionOutcome = 'admitted' | 'limited' | 'banned' | 'unauthenticated' | 'address_limited' | 'unavailable';

/** Counts what admission decided, by outcome and plan; the metrics read it. */
@Injectable()
export class AdmissionTally {
  private readonly counts = new Map<string, Map<AdmissionOutcome, number>>();

  /** @param plan of the caller, `none` where there is none */
  add(plan: string, outcome: AdmissionOutcome): void {
    let outcomes = this.counts.get(plan);
    if (outcomes === undefined) this.counts.set(plan, (outcomes = new Map()));
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }

  *entries(): Generator<{ plan: string; outcome: AdmissionOutcome; count: number }> {
    for (const [plan, outcomes] of this.counts) {
      for (const [outcome, count] of outcomes) yield { plan, outcome, count };
    }
  }
}
