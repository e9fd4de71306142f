import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What an account or a client address has used, kept so that a restart gives nobody fresh quota. */
@Entity({ name: 'usage_windows' })
export class UsageWindow {
  /** `account:<id>`, `address:<IPv4 or IPv6 /64>`, `key:<id>`, or `accounts-overflow:<n>` and `addresses-overflow:<n>`, which many share. */
  @PrimaryColumn({ type: 'text' })
  subject!: string;

  /** Unix time in seconds at which the minute window began. */
  @Column({ type: 'integer', name: 'minute_start' })
  minuteStart!: number;

  @Column({ type: 'integer', name: 'minute_used' })
  minuteUsed!: number;

  /** Unix time in seconds at which the UTC day began. */
  @Column({ type: 'integer', name: 'day_start' })
  dayStart!: number;

  @Column({ type: 'integer', name: 'day_used' })
  dayUsed!: number;
}
