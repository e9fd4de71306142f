import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

@Entity({ name: 'idempotency_records' })
@Index('idempotency_records_expires_at', ['expiresAt'])
export class IdempotencyRecord {
  @PrimaryColumn({ type: 'integer', name: 'account_id' })
  accountId!: number;

  @PrimaryColumn({ type: 'text', name: 'idempotency_key' })
  idempotencyKey!: string;

  /** Those of version 1 differ, so its records match no request. */
  @Column({ type: 'text' })
  fingerprint!: string;

  /** See `storedResponse`. Version 1 encrypted it. */
  @Column({ type: 'text', name: 'sealed_answer' })
  response!: string;

  /** Unix time in milliseconds. */
  @Column({ type: 'integer', name: 'expires_at' })
  expiresAt!: number;
}
