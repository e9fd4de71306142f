export { OrderEntity, type OrderStatus } from './order.entity.js';
export type { OrderEvents } from './orders.service.js';
export { StoreModule } from './store.module.js';
