import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** How far a subscription has read the log, and which process handles its events. */
@Entity({ name: 'event_subscriptions' })
export class EventSubscription {
  @PrimaryColumn({ type: 'text' })
  name!: string;

  /** The last place of the log that it has read. */
  @Column({ type: 'integer' })
  place!: number;

  @Column({ type: 'text', name: 'lease_owner', nullable: true })
  leaseOwner!: string | null;

  /** Unix time in milliseconds. */
  @Column({ type: 'integer', name: 'leased_until', default: 0 })
  leasedUntil!: number;
}

/** `failed` is a dead letter: it is not tried again, unless somebody repeats it. */
export type DeliveryState = 'pending' | 'delivered' | 'failed';

/** An event that a subscription handles, or has handled. */
@Entity({ name: 'event_deliveries' })
@Index('event_deliveries_state_due_at', ['state', 'dueAt'])
@Index('event_deliveries_subscription_state_due_at', ['subscription', 'state', 'dueAt', 'place'])
@Index('event_deliveries_subscription_state_subject', ['subscription', 'state', 'subject', 'place'])
export class EventDelivery {
  @PrimaryColumn({ type: 'text' })
  subscription!: string;

  /** Of the event in the log. */
  @PrimaryColumn({ type: 'integer' })
  place!: number;

  @Column({ type: 'text' })
  subject!: string;

  @Column({ type: 'text' })
  state!: DeliveryState;

  @Column({ type: 'integer' })
  attempts!: number;

  /** When the next attempt is due, in Unix time in milliseconds. */
  @Column({ type: 'integer', name: 'due_at' })
  dueAt!: number;

  /** Why the last attempt failed. */
  @Column({ type: 'text', nullable: true })
  error!: string | null;

  /** Of the last change of the state, in Unix time in milliseconds. */
  @Column({ type: 'integer' })
  at!: number;
}
