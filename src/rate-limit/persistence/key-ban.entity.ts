import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A key's rejections of the current minute and its bans of the last 24 hours. Times are Unix time in seconds. */
@Entity({ name: 'key_bans' })
export class KeyBan {
  @PrimaryColumn({ type: 'text', name: 'key_id' })
  keyId!: string;

  /** When the minute began in which `strikes` are counted. */
  @Column({ type: 'integer', name: 'strikes_start' })
  strikesStart!: number;

  @Column({ type: 'integer' })
  strikes!: number;

  /** 0 when the key was never banned. */
  @Column({ type: 'integer', name: 'banned_until' })
  bannedUntil!: number;

  /** When the bans of the last 24 hours began, oldest first, separated by spaces. */
  @Column({ type: 'text', name: 'ban_starts' })
  banStarts!: string;
}
