import { IndexMigration } from '../schema.js';

export class AuditByKey1795222800000 extends IndexMigration {
  override readonly indexes = { audit_records_key_id: '"audit_records" ("key_id")' };
}
