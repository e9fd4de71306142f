import { Injectable } from '@nestjs/common';
import { DeletionTask, OldRows } from '../database/old-rows.js';
import { DAY_MS, HOUR_MS } from '../platform/config/clock.js';
import { Env } from '../platform/config/env.js';

/**
 * Identifiers and times of audit records ascend together, unless a clock was ahead, so it is enough to look at the oldest
 * that are not to come. The newest one stays: instances poll from it.
 */
const OLD_RECORDS = `"at" < ? AND "id" IN (SELECT "id" FROM "audit_records"
  WHERE "at" <= ? AND "id" < (SELECT MAX("id") FROM "audit_records") ORDER BY "id" LIMIT 1000)`;
const OLD_KEYS = '("revoked_at" < ? OR "expires_at" < ?)';

/** Deletes old audit records, and keys that expired or were revoked long ago. */
@Injectable()
export class Retention extends DeletionTask {
  constructor(oldRows: OldRows, { AUDIT_RETENTION_DAYS, KEY_RETENTION_DAYS }: Env) {
    const [auditMs, keyMs] = [AUDIT_RETENTION_DAYS * DAY_MS, KEY_RETENTION_DAYS * DAY_MS];
    const records = { table: 'audit_records', isOld: OLD_RECORDS, at: (nowMs: number) => [nowMs - auditMs, nowMs] };
    const keys = { table: 'api_keys', isOld: OLD_KEYS, at: (nowMs: number) => [nowMs - keyMs, nowMs - keyMs] };
    super(oldRows, 'deleting old audit records and keys', HOUR_MS, [
      ...(AUDIT_RETENTION_DAYS > 0 ? [records] : []),
      ...(KEY_RETENTION_DAYS > 0 ? [keys] : []),
    ]);
  }
}
