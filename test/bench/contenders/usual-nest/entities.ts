import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

@Entity({ name: 'pets' })
export class Pet {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'integer', name: 'category_id' })
  categoryId!: number;

  @Column({ type: 'text', nullable: true })
  status!: string | null;
}

@Entity({ name: 'accounts' })
export class Account {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column({ type: 'integer', name: 'per_minute' })
  perMinute!: number;

  @Column({ type: 'integer', name: 'per_day' })
  perDay!: number;
}

@Entity({ name: 'api_keys' })
export class ApiKey {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @ManyToOne(() => Account)
  @JoinColumn({ name: 'account_id' })
  account!: Account;

  @Column({ type: 'text' })
  sha256!: string;

  @Column({ type: 'integer', name: 'revoked_at', nullable: true })
  revokedAt!: number | null;
}
