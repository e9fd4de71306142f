import { Column, Entity, PrimaryColumn } from 'typeorm';
import { BanRecord } from '../windows/ban-record.js';

/** A key's rejections of the current minute and its bans of the last 24 hours. Times are Unix time in seconds. */
@Entity({ name: 'key_bans' })
export class KeyBan {
  @PrimaryColumn({ type: 'text', name: 'key_id' })
  subject!: string;

  @Column({ type: 'integer', name: 'strikes_start' })
  strikesStart!: number;

  @Column({ type: 'integer' })
  strikes!: number;

  /** 0 if the key was never banned. */
  @Column({ type: 'integer', name: 'banned_until' })
  bannedUntil!: number;

  /** Starts of the bans of the last 24 hours, oldest first, separated by spaces. */
  @Column({ type: 'text', name: 'ban_starts' })
  banStarts!: string;

  static of(subject: string, record: BanRecord) {
    return {
      subject,
      strikesStart: record.strikesStartSeconds,
      strikes: record.strikes,
      bannedUntil: record.bannedUntilSeconds,
      banStarts: record.banStartsSeconds.join(' '),
    };
  }

  toCounter(): BanRecord {
    return Object.assign(new BanRecord(), {
      strikesStartSeconds: this.strikesStart,
      strikes: this.strikes,
      bannedUntilSeconds: this.bannedUntil,
      banStartsSeconds: this.banStarts === '' ? [] : this.banStarts.split(' ').map(Number),
    });
  }
}
