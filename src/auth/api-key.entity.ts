import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { Account } from './account.entity.js';

/** An API key as it is kept: enough to recognise it, too little to use it. Times are Unix time in milliseconds. */
@Entity({ name: 'api_keys' })
export class ApiKey {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'integer', name: 'account_id' })
  @Index('api_keys_account_id')
  accountId!: number;

  @ManyToOne(() => Account)
  @JoinColumn({ name: 'account_id', foreignKeyConstraintName: 'api_keys_account' })
  account!: Account;

  /** SHA-256 of the whole key, in hexadecimal. */
  @Index('api_keys_sha256', { unique: true })
  @Column({ type: 'text' })
  sha256!: string;

  /** First and last characters, for people to tell keys apart. */
  @Column({ type: 'text' })
  masked!: string;

  /** Separated by spaces. */
  @Column({ type: 'text' })
  scopes!: string;

  @Column({ type: 'integer', name: 'created_at' })
  createdAt!: number;

  @Column({ type: 'integer', name: 'expires_at', nullable: true })
  expiresAt!: number | null;

  @Column({ type: 'integer', name: 'revoked_at', nullable: true })
  revokedAt!: number | null;

  @Column({ type: 'integer', name: 'last_used_at', nullable: true })
  lastUsedAt!: number | null;

  /** Bans that began up to then no longer hold, nor count towards the next. */
  @Column({ type: 'integer', name: 'bans_lifted_at', nullable: true })
  bansLiftedAt!: number | null;
}
