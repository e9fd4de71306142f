import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { PetStatus } from './pet-status.js';

/** A pet of the catalogue. */
@Entity({ name: 'pets' })
@Index('pets_status_id', ['status', 'id'])
@Check('pets_status', `"status" IN ('available', 'pending', 'sold')`)
export class PetEntity {
  /** Assigned by the database; stays below 2^53. */
  @PrimaryGeneratedColumn({ type: 'integer' })
  id!: number;

  @Column({ type: 'text' })
  name!: string;

  /** An int64 in decimal, as a JavaScript number would round it. */
  @Column({ type: 'integer', name: 'category_id' })
  categoryId!: string;

  /** `null` where the client gave none. */
  @Column({ type: 'text', nullable: true })
  status!: PetStatus | null;

  /** 1 while an open order holds the pet, which is pending then; else 0. */
  @Column({ type: 'integer', default: 0 })
  held!: number;
}
