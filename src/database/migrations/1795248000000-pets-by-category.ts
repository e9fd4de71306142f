import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex, dropIndex } from '../schema.js';

/** Indexes for pages of the pets of one category, with a status or without. */
export class PetsByCategory1795248000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndex(runner, 'pets_category_id_id', '"pets" ("category_id", "id")');
    await createIndex(runner, 'pets_category_id_status_id', '"pets" ("category_id", "status", "id")');
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropIndex(runner, 'pets_category_id_status_id');
    await dropIndex(runner, 'pets_category_id_id');
  }
}
