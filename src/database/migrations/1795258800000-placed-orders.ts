import { IndexMigration } from '../schema.js';

/** For orders that are cancelled because nobody approved them. */
export class PlacedOrders1795258800000 extends IndexMigration {
  override readonly indexes = { orders_placed: `"orders" ("created_at") WHERE "status" = 'placed'` };
}
