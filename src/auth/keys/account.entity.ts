import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { PlanName } from './plan.js';

/** A customer: owns keys and the quota that they share. */
@Entity({ name: 'accounts' })
export class Account {
  @PrimaryGeneratedColumn({ type: 'integer' })
  id!: number;

  @Index('accounts_name', { unique: true })
  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  plan!: PlanName;

  /** Set for Enterprise only; other plans have fixed limits. */
  @Column({ type: 'integer', name: 'per_minute', nullable: true })
  perMinute!: number | null;

  /** Set for Enterprise only; at least `perMinute`. */
  @Column({ type: 'integer', name: 'per_day', nullable: true })
  perDay!: number | null;

  /** Unix time in milliseconds. */
  @Column({ type: 'integer', name: 'created_at' })
  createdAt!: number;

  /** Its keys are refused since then, in Unix time in milliseconds. */
  @Column({ type: 'integer', name: 'suspended_at', nullable: true })
  suspendedAt!: number | null;

  /** Limits that hold instead of those of the plan until `otherUntil`. All three are set, or none. */
  @Column({ type: 'integer', name: 'other_per_minute', nullable: true })
  otherPerMinute!: number | null;

  @Column({ type: 'integer', name: 'other_per_day', nullable: true })
  otherPerDay!: number | null;

  /** Unix time in milliseconds. */
  @Column({ type: 'integer', name: 'other_until', nullable: true })
  otherUntil!: number | null;
}
