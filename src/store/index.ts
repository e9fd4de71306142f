import { Orders1795233600000 } from './1795233600000-orders.js';
import { OrderEntity } from './order.entity.js';
import { StoreModule } from './store.module.js';

export type { OrderEntity, OrderStatus } from './order.entity.js';
export type { OrderEvents } from './order.events.js';

/** The store as an extension of the service. */
export const STORE = { module: StoreModule, entities: [OrderEntity], migrations: [Orders1795233600000] };
