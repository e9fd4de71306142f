import { IndexMigration } from '../schema.js';

/** For the audit records of one account, newest first. */
export class AuditByAccount1795273200000 extends IndexMigration {
  override readonly indexes = { audit_records_account_id_id: '"audit_records" ("account_id", "id")' };
}
