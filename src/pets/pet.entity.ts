import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

export const PET_STATUSES = ['available', 'pending', 'sold'] as const;
export type PetStatus = (typeof PET_STATUSES)[number];

@Entity({ name: 'pets' })
@Index('pets_status_id', ['status', 'id'])
@Index('pets_category_id_id', ['categoryId', 'id'])
@Index('pets_category_id_status_id', ['categoryId', 'status', 'id'])
@Check('pets_status', `"status" IN ('available', 'pending', 'sold')`)
export class PetEntity {
  /** Assigned by the database; stays below 2^53. */
  @PrimaryGeneratedColumn({ type: 'integer' })
  id!: number;

  @Column({ type: 'text' })
  name!: string;

  /** An int64: a number, or decimal digits where a number would be rounded. */
  @Column({ type: 'integer', name: 'category_id' })
  categoryId!: number | string;

  /** `null` if the client omitted it. */
  @Column({ type: 'text', nullable: true })
  status!: PetStatus | null;

  /** 1 while an open order reserves the pet, which is then pending; else 0. */
  @Column({ type: 'integer', default: 0 })
  held!: number;
}
