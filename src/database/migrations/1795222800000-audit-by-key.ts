import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Indexes the audit trail by key. */
export class AuditByKey1795222800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX "audit_records_key_id" ON "audit_records" ("key_id")');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX "audit_records_key_id"');
  }
}
