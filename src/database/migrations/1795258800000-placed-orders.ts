import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex, dropIndex } from '../schema.js';

/** For orders that are cancelled because nobody approved them. */
export class PlacedOrders1795258800000 implements MigrationInterface {
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return createIndex(runner, 'orders_placed', `"orders" ("created_at") WHERE "status" = 'placed'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropIndex(runner, 'orders_placed');
  }
}
