import { Injectable } from '@nestjs/common';
import { OldRows } from '../database/old-rows.js';
import { throwErrors } from '../database/chunks.js';
import { Env } from '../platform/config/env.js';
import { RecurringTask } from '../platform/recurring-task.js';

const INTERVAL_MS = 3_600_000;
const DAY_MS = 86_400_000;

/**
 * Identifiers and times of audit records ascend together, so it is enough to look at the oldest. The newest one stays:
 * instances poll from it.
 */
const OLD_RECORDS = `"at" < ? AND "id" IN (SELECT "id" FROM "audit_records"
  WHERE "id" < (SELECT MAX("id") FROM "audit_records") ORDER BY "id" LIMIT 1000)`;

const OLD_KEYS = '("revoked_at" < ? OR "expires_at" < ?)';

/** Deletes old audit records, and keys that expired or were revoked long ago. */
@Injectable()
export class Retention extends RecurringTask {
  constructor(oldRows: OldRows, { AUDIT_RETENTION_DAYS, KEY_RETENTION_DAYS }: Env) {
    super('deleting old audit records and keys', INTERVAL_MS, async (stop) => {
      const nowMs = await oldRows.nowMs();
      if (nowMs === undefined) return;
      const before = (days: number) => nowMs - days * DAY_MS;
      const errors: unknown[] = [];
      const remove = (table: string, isOld: string, beforeMs: readonly number[]) =>
        oldRows.delete(table, isOld, beforeMs, stop).catch((error: unknown) => errors.push(error));
      if (AUDIT_RETENTION_DAYS > 0) await remove('audit_records', OLD_RECORDS, [before(AUDIT_RETENTION_DAYS)]);
      const beforeMs = before(KEY_RETENTION_DAYS);
      if (KEY_RETENTION_DAYS > 0) await remove('api_keys', OLD_KEYS, [beforeMs, beforeMs]);
      throwErrors(errors);
    });
  }
}
