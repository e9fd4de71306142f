import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Usage } from '../windows/usage.js';

/** The usage of an account, an address or a key, stored so that a restart gives no new quota. Times are Unix seconds. */
@Entity({ name: 'usage_windows' })
export class UsageWindow {
  /** `account:<id>`, `address:<IPv4 or IPv6 /64>`, or `key:<id>`. */
  @PrimaryColumn({ type: 'text' })
  subject!: string;

  @Column({ type: 'integer', name: 'minute_start' })
  minuteStart!: number;

  @Column({ type: 'integer', name: 'minute_used' })
  minuteUsed!: number;

  @Column({ type: 'integer', name: 'day_start' })
  dayStart!: number;

  @Column({ type: 'integer', name: 'day_used' })
  dayUsed!: number;

  static of(subject: string, { minute, day }: Usage) {
    return {
      subject,
      minuteStart: minute.startSeconds,
      minuteUsed: minute.used,
      dayStart: day.startSeconds,
      dayUsed: day.used,
    };
  }

  toCounter(): Usage {
    const usage = new Usage();
    Object.assign(usage.minute, { startSeconds: this.minuteStart, used: this.minuteUsed });
    Object.assign(usage.day, { startSeconds: this.dayStart, used: this.dayUsed });
    return usage;
  }
}
