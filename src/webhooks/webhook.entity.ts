import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { Change } from '../kernel.js';
import type { Webhook } from './webhook.dto.js';

export const WEBHOOK_STATES = ['enabled', 'disabled'] as const;
export type WebhookState = (typeof WEBHOOK_STATES)[number];

/** A receiver of the events of an account. Times are Unix times in milliseconds. */
@Entity({ name: 'webhooks' })
@Index('webhooks_account_id_id', ['accountId', 'id'])
export class WebhookEntity {
  @PrimaryGeneratedColumn({ type: 'integer' })
  id!: number;

  @Column({ type: 'integer', name: 'account_id' })
  accountId!: number;

  /** The key that created or last changed it. The webhook gets what this key can read, while it is active. */
  @Column({ type: 'text', name: 'key_id' })
  keyId!: string;

  @Column({ type: 'text' })
  url!: string;

  /** Patterns of event types, separated by commas. */
  @Column({ type: 'text' })
  types!: string;

  @Column({ type: 'text' })
  state!: WebhookState;

  /** Why the service disabled it. */
  @Column({ type: 'text', nullable: true })
  reason!: string | null;

  /** Encrypted, like the previous one. */
  @Column({ type: 'text' })
  secret!: string;

  @Column({ type: 'text', name: 'previous_secret', nullable: true })
  previousSecret!: string | null;

  @Column({ type: 'integer', name: 'previous_until', nullable: true })
  previousUntil!: number | null;

  /** The first failure since the last success. */
  @Column({ type: 'integer', name: 'failing_since', nullable: true })
  failingSince!: number | null;

  @Column({ type: 'integer', name: 'created_at' })
  createdAt!: number;
}

export interface WebhookEvents {
  'webhook.created': Change<undefined, Webhook>;
  /** By its account, or disabled by the service. */
  'webhook.changed': Change<Webhook, Webhook>;
  'webhook.removed': Change<Webhook, undefined>;
}

declare module '../kernel.js' {
  interface EventMap extends WebhookEvents {}
}
