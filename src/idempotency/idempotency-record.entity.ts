import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The stored response of a request with an Idempotency-Key. */
@Entity({ name: 'idempotency_records' })
@Index('idempotency_records_expires_at', ['expiresAt'])
export class IdempotencyRecord {
  @PrimaryColumn({ type: 'integer', name: 'account_id' })
  accountId!: number;

  /** The Idempotency-Key as it was sent. */
  @PrimaryColumn({ type: 'text', name: 'idempotency_key' })
  idempotencyKey!: string;

  /** Fingerprint of the request; see `IdempotentRequest`. */
  @Column({ type: 'text' })
  fingerprint!: string;

  /** The encrypted response; see `storeResponse`. */
  @Column({ type: 'text', name: 'sealed_answer' })
  sealedAnswer!: string;

  /** Unix time in milliseconds. */
  @Column({ type: 'integer', name: 'expires_at' })
  expiresAt!: number;
}
