import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The usage of an account, an address or a key, stored so that a restart gives no new quota. */
@Entity({ name: 'usage_windows' })
export class UsageWindow {
  /** `account:<id>`, `address:<IPv4 or IPv6 /64>`, `key:<id>`, shared: `accounts-overflow:<n>`, `addresses-overflow:<n>`. */
  @PrimaryColumn({ type: 'text' })
  subject!: string;

  /** Start of the minute, in Unix time in seconds. */
  @Column({ type: 'integer', name: 'minute_start' })
  minuteStart!: number;

  @Column({ type: 'integer', name: 'minute_used' })
  minuteUsed!: number;

  /** Start of the UTC day, in Unix time in seconds. */
  @Column({ type: 'integer', name: 'day_start' })
  dayStart!: number;

  @Column({ type: 'integer', name: 'day_used' })
  dayUsed!: number;
}
