import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Gives keys an optional name. */
export class ApiKeyNames1795244400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "api_keys" ADD COLUMN "name" TEXT');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "api_keys" DROP COLUMN "name"');
  }
}
