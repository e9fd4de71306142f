import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex, dropIndex } from '../schema.js';

/** An index for the audit records of one account, newest first. */
export class AuditByAccount1795273200000 implements MigrationInterface {
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return createIndex(runner, 'audit_records_account_id_id', '"audit_records" ("account_id", "id")');
  }

  down(runner: QueryRunner): Promise<void> {
    return dropIndex(runner, 'audit_records_account_id_id');
  }
}
