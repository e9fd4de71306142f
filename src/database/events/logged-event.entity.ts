import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** For events that every account can read. */
export const EVERY_ACCOUNT = 0;

/** An event as it was committed, in the transaction of its change. */
@Entity({ name: 'event_log' })
@Index('event_log_account_id_type_id', ['accountId', 'type', 'id'])
@Index('event_log_subject_id', ['subject', 'id'])
export class LoggedEvent {
  /** Its place in the log. Events of one subject ascend. */
  @PrimaryGeneratedColumn({ type: 'integer' })
  id!: number;

  @Column({ type: 'text', name: 'event_id' })
  eventId!: string;

  @Column({ type: 'text' })
  type!: string;

  /** The account that can read it, or `EVERY_ACCOUNT`. */
  @Column({ type: 'integer', name: 'account_id' })
  accountId!: number;

  /** Such as `pet:7`. */
  @Column({ type: 'text' })
  subject!: string;

  /** JSON of the resource, as the API returns it. */
  @Column({ type: 'text' })
  data!: string;

  @Column({ type: 'text', nullable: true })
  actor!: string | null;

  /** The account that the change was made for. */
  @Column({ type: 'integer', name: 'actor_account_id', nullable: true })
  actorAccountId!: number | null;

  @Column({ type: 'text', name: 'request_id', nullable: true })
  requestId!: string | null;

  @Column({ type: 'text', name: 'trace_id', nullable: true })
  traceId!: string | null;

  /** Unix time in milliseconds. That of an event is not before that of an earlier one of its subject. */
  @Column({ type: 'integer' })
  at!: number;
}
