import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { EnumField, EnumParam, IdField, IdParam, type Int64, LimitQuery, TIME_SCHEMA } from '../kernel.js';
import { ORDER_STATUSES, type OrderStatus } from './order.entity.js';

const ORDER_STATUS = { name: 'OrderStatus', values: ORDER_STATUSES, meaning: 'Status of an order.' } as const;

@ApiSchema({ name: 'OrderCreation', description: 'A new order.' })
export class OrderCreation {
  @IdField({ description: 'Identifier of the pet to order. The pet must be available.', example: 1 })
  petId!: Int64;
}

@ApiSchema({ name: 'OrderChange', description: 'The new status of an order.' })
export class OrderChange {
  @EnumField({ description: 'The new status.', example: 'approved', ...ORDER_STATUS })
  status!: OrderStatus;
}

@ApiSchema({ name: 'Order', description: 'An order of the calling account.' })
export class Order {
  @IdField({ description: 'Assigned by the service.', example: 1 })
  id!: number;

  @IdField({ description: 'Identifier of the ordered pet.', example: 1 })
  petId!: number;

  @EnumField({ description: 'Status of the order.', example: 'placed', ...ORDER_STATUS })
  status!: OrderStatus;

  @ApiProperty({ ...TIME_SCHEMA, description: 'When the order was placed.' })
  createdAt!: string;

  @ApiProperty({
    ...TIME_SCHEMA,
    description: 'When the order is cancelled unless it is approved first. Only while it is `placed`.',
    required: false,
  })
  expiresAt?: string;
}

export class ListOrdersQuery extends LimitQuery {
  @EnumParam({ description: 'Return only orders with this status.', ...ORDER_STATUS })
  status?: OrderStatus;

  /** Decimal digits. */
  @IdParam({ description: 'Return only orders after this identifier, the last one of the previous page.' })
  after?: string;
}
