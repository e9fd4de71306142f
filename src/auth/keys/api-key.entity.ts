import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { Account } from './account.entity.js';

const SCOPES_COLUMN = {
  to: (scopes?: readonly string[]) => scopes?.join(' '),
  from: (stored: string) => stored.split(' '),
};

/** A stored API key: enough to recognise it, not enough to use it. Times are Unix time in milliseconds. */
@Entity({ name: 'api_keys' })
@Index('api_keys_account_id_created_at_id', ['accountId', 'createdAt', 'id'])
@Index('api_keys_not_revoked', ['accountId', 'expiresAt'], { where: '"revoked_at" IS NULL' })
export class ApiKey {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'integer', name: 'account_id' })
  accountId!: number;

  @ManyToOne(() => Account)
  @JoinColumn({ name: 'account_id', foreignKeyConstraintName: 'api_keys_account' })
  account!: Account;

  @Column({ type: 'text', nullable: true })
  name!: string | null;

  /** SHA-256 of the whole key, in hexadecimal. */
  @Index('api_keys_sha256', { unique: true })
  @Column({ type: 'text' })
  sha256!: string;

  /** First and last characters, so that people can tell keys apart. */
  @Column({ type: 'text' })
  masked!: string;

  /** Stored as a text, separated by spaces. */
  @Column({ type: 'text', transformer: SCOPES_COLUMN })
  scopes!: string[];

  @Column({ type: 'integer', name: 'created_at' })
  createdAt!: number;

  @Column({ type: 'integer', name: 'expires_at', nullable: true })
  expiresAt!: number | null;

  /**
   * Lifetime in milliseconds, which a successor inherits; a rotation shortens only `expiresAt`. 0 for a key without an
   * expiry; null if a version of the service without this column created the key.
   */
  @Column({ type: 'integer', name: 'lifetime_ms', nullable: true })
  lifetimeMs!: number | null;

  /** Identifier of the latest successor. */
  @Column({ type: 'text', name: 'successor_id', nullable: true })
  successorId!: string | null;

  @Column({ type: 'integer', name: 'revoked_at', nullable: true })
  revokedAt!: number | null;

  @Column({ type: 'integer', name: 'paused_at', nullable: true })
  pausedAt!: number | null;

  @Column({ type: 'integer', name: 'last_used_at', nullable: true })
  lastUsedAt!: number | null;

  /** Bans that began up to this time are lifted, and do not count towards the next one. */
  @Column({ type: 'integer', name: 'bans_lifted_at', nullable: true })
  bansLiftedAt!: number | null;
}
