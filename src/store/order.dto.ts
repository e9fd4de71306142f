import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { EnumField, IdField, type Int64 } from '../validation/index.js';
import { ORDER_STATUS, type OrderStatus } from './order-status.js';

/** The body of placeOrder. */
@ApiSchema({ name: 'NewOrder', description: 'An order as a client places it.' })
export class NewOrder {
  @IdField({ description: 'The animal to order; it must be available.', example: 1 })
  petId!: Int64;
}

/** The body of changeOrder. */
@ApiSchema({ name: 'OrderChange', description: 'What is to become of an order.' })
export class OrderChange {
  @EnumField({ description: 'The status that the order goes to.', example: 'approved', ...ORDER_STATUS })
  status!: OrderStatus;
}

/** An order as it is answered. */
@ApiSchema({ name: 'Order', description: 'An order of the calling account.' })
export class Order {
  @ApiProperty({ type: 'integer', format: 'int64', minimum: 1, description: 'Assigned by the service.', example: 1 })
  id!: number;

  @ApiProperty({ type: 'integer', format: 'int64', minimum: 1, description: 'The animal that was ordered.', example: 1 })
  petId!: number;

  @EnumField({ description: 'What has become of the order.', example: 'placed', ...ORDER_STATUS })
  status!: OrderStatus;

  @ApiProperty({ type: String, format: 'date-time', description: 'When the order was placed.', example: '2026-11-21T12:00:00.000Z' })
  createdAt!: string;
}
