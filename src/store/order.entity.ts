import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** The statuses of an order, each with those that can follow. */
const TRANSITIONS = {
  placed: ['approved', 'cancelled'],
  approved: ['delivered', 'cancelled'],
  delivered: [],
  cancelled: [],
} as const satisfies Record<string, readonly string[]>;

export type OrderStatus = keyof typeof TRANSITIONS;

export const ORDER_STATUSES = Object.keys(TRANSITIONS) as OrderStatus[];

export function nextStatuses(status: OrderStatus): readonly OrderStatus[] {
  return TRANSITIONS[status];
}

@Entity({ name: 'orders' })
@Index('orders_account_id_id', ['accountId', 'id'])
@Index('orders_account_id_status_id', ['accountId', 'status', 'id'])
@Index('orders_placed', ['createdAt'], { where: `"status" = 'placed'` })
@Check('orders_status', `"status" IN ('placed', 'approved', 'delivered', 'cancelled')`)
export class OrderEntity {
  /** Assigned by the database; stays below 2^53. */
  @PrimaryGeneratedColumn({ type: 'integer' })
  id!: number;

  @Column({ type: 'integer', name: 'account_id' })
  accountId!: number;

  /** The pet can be removed when the order has ended. */
  @Column({ type: 'integer', name: 'pet_id' })
  petId!: number;

  @Column({ type: 'text' })
  status!: OrderStatus;

  /** Unix time in milliseconds. */
  @Column({ type: 'integer', name: 'created_at' })
  createdAt!: number;
}
