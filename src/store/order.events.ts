import type { Change } from '../events/index.js';
import type { OrderEntity } from './order.entity.js';

/** The events of orders. */
export interface OrderEvents {
  'order.placed': Change<undefined, OrderEntity>;
  'order.approved': Change<OrderEntity, OrderEntity>;
  'order.delivered': Change<OrderEntity, OrderEntity>;
  'order.cancelled': Change<OrderEntity, OrderEntity>;
}

declare module '../events/domain-event.js' {
  interface EventMap extends OrderEvents {}
}
