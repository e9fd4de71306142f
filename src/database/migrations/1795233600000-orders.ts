import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnTypes } from '../schema.js';

export class Orders1795233600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { id, int64, tableEnd } = columnTypes(runner);
    await runner.query(`
      CREATE TABLE "orders" (
        "id" ${id},
        "account_id" ${int64} NOT NULL,
        "pet_id" ${int64} NOT NULL,
        "status" TEXT NOT NULL CONSTRAINT "orders_status" CHECK ("status" IN ('placed', 'approved', 'delivered', 'cancelled')),
        "created_at" ${int64} NOT NULL
      ) ${tableEnd}`);
    await runner.query('CREATE INDEX "orders_account_id_id" ON "orders" ("account_id", "id")');
    await runner.query('CREATE INDEX "orders_account_id_status_id" ON "orders" ("account_id", "status", "id")');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "orders"');
  }
}
