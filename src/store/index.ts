import { OrderEntity } from './order.entity.js';

export type { OrderEntity, OrderStatus } from './order.entity.js';
export type { OrderEvents } from './order.events.js';
export { StoreModule } from './store.module.js';

/** The table of orders. */
export const STORE_ENTITIES = [OrderEntity];
