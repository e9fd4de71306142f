import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Indexes for pages of the pets of one category, with a status or without. */
export class PetsByCategory1795248000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX "pets_category_id_id" ON "pets" ("category_id", "id")');
    await runner.query('CREATE INDEX "pets_category_id_status_id" ON "pets" ("category_id", "status", "id")');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX "pets_category_id_status_id"');
    await runner.query('DROP INDEX "pets_category_id_id"');
  }
}
