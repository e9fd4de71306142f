import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets a key's history be found without looking through everybody's. */
export class AuditByKey1795222800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX "audit_records_key_id" ON "audit_records" ("key_id")');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX "audit_records_key_id"');
  }
}
