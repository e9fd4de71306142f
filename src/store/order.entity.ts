import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { OrderStatus } from './order-status.js';

/** An order of an account for a pet. */
@Entity({ name: 'orders' })
@Index('orders_account_id_id', ['accountId', 'id'])
@Index('orders_account_id_status_id', ['accountId', 'status', 'id'])
@Check('orders_status', `"status" IN ('placed', 'approved', 'delivered', 'cancelled')`)
export class OrderEntity {
  /** Assigned by the database; stays below 2^53. */
  @PrimaryGeneratedColumn({ type: 'integer' })
  id!: number;

  @Column({ type: 'integer', name: 'account_id' })
  accountId!: number;

  /** The pet may be removed once the order has ended. */
  @Column({ type: 'integer', name: 'pet_id' })
  petId!: number;

  @Column({ type: 'text' })
  status!: OrderStatus;

  /** Unix time in milliseconds. */
  @Column({ type: 'integer', name: 'created_at' })
  createdAt!: number;
}
