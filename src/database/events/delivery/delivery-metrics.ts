import { Counter, Gauge, type Registry } from '@prometheus-io/client';

/** Metrics of subscriptions, by what is before a colon in their names. */
export class DeliveryMetrics {
  private readonly outcomes: Counter<'subscription' | 'outcome'>;
  private readonly lag: Gauge<'subscription'>;

  constructor(registry: Registry) {
    this.outcomes = new Counter({
      name: 'petstore_event_deliveries_total',
      help: 'Attempts to hand an event to a subscription, by outcome.',
      labelNames: ['subscription', 'outcome'],
      registers: [registry],
    });
    this.lag = new Gauge({
      name: 'petstore_event_lag_seconds',
      help: 'Age of the event of the last attempt.',
      labelNames: ['subscription'],
      registers: [registry],
    });
  }

  /** So that the first failure is a difference. */
  begin(name: string): void {
    const subscription = groupOf(name);
    for (const outcome of ['delivered', 'retried', 'failed']) this.outcomes.inc({ subscription, outcome }, 0);
    this.lag.set({ subscription }, 0);
  }

  noteAttempt(name: string, ageMs: number): void {
    this.lag.set({ subscription: groupOf(name) }, ageMs / 1_000);
  }

  noteOutcome(name: string, outcome: 'delivered' | 'retried' | 'failed'): void {
    this.outcomes.inc({ subscription: groupOf(name), outcome });
  }
}

function groupOf(name: string): string {
  return name.split(':')[0] ?? name;
}
