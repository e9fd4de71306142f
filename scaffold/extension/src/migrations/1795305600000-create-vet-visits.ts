import { columnTypes } from 'petstore-service';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateVetVisits1795305600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { id, tableEnd } = columnTypes(runner);
    await runner.query(`
      CREATE TABLE "vet_visits" (
        "id" ${id},
        "name" TEXT NOT NULL
      ) ${tableEnd}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "vet_visits"');
  }
}
