import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';

export type AdmissionOutcome =
  'admitted' | 'limited' | 'banned' | 'unauthenticated' | 'address_limited' | 'unavailable';

/** Counts the decisions of admission by outcome and plan. */
@Injectable()
export class AdmissionTally {
  private readonly decisions;

  constructor(registry: Registry) {
    this.decisions = new Counter({
      name: 'petstore_admissions_total',
      help: 'Admission decisions by outcome and plan.',
      labelNames: ['outcome', 'plan'],
      registers: [registry],
    });
  }

  /** @param plan of the caller, or `none` */
  add(plan: string, outcome: AdmissionOutcome): void {
    this.decisions.inc({ plan, outcome });
  }
}
