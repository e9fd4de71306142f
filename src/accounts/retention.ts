import { Injectable } from '@nestjs/common';
import { type EntityManager, In, LessThan } from 'typeorm';
import { Database, tryLockUntilCommit } from '../database/index.js';
import { Clock, Env, RecurringTask } from '../platform/index.js';
import { AuditRecord } from './audit-record.entity.js';
import { ApiKey } from './keys/api-key.entity.js';

const INTERVAL_MS = 3_600_000;
/** Maximum number of rows of a table that one run deletes, so that other writes do not wait long. */
const MAX_ROWS = 1_000;
const DAY_MS = 86_400_000;

/** Deletes old audit records, and keys that expired or were revoked long ago. Of several instances, one does it at a time. */
@Injectable()
export class Retention extends RecurringTask {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly env: Env,
  ) {
    super('deleting old audit records and keys', INTERVAL_MS, () => this.deleteOld());
  }

  private async deleteOld(): Promise<void> {
    const { AUDIT_RETENTION_DAYS, KEY_RETENTION_DAYS } = this.env;
    await this.database.write(async (manager) => {
      if (!(await tryLockUntilCommit(manager, 'retention'))) return;
      if (AUDIT_RETENTION_DAYS > 0) await deleteRecords(manager, this.before(AUDIT_RETENTION_DAYS));
      if (KEY_RETENTION_DAYS > 0) await deleteKeys(manager, this.before(KEY_RETENTION_DAYS));
    });
  }

  private before(days: number): number {
    return this.clock.nowMs() - days * DAY_MS;
  }
}

/** Identifiers and times ascend together, so the oldest ones are enough. The newest record stays: instances poll from it. */
async function deleteRecords(manager: EntityManager, beforeMs: number): Promise<void> {
  const oldest = await manager.find(AuditRecord, {
    select: { id: true, at: true },
    order: { id: 'ASC' },
    take: MAX_ROWS + 1,
  });
  const ids = oldest.slice(0, -1).flatMap(({ id, at }) => (at < beforeMs ? [id] : []));
  if (ids.length > 0) await manager.delete(AuditRecord, { id: In(ids) });
}

async function deleteKeys(manager: EntityManager, beforeMs: number): Promise<void> {
  const ended = await manager.find(ApiKey, {
    select: { id: true },
    where: [{ revokedAt: LessThan(beforeMs) }, { expiresAt: LessThan(beforeMs) }],
    take: MAX_ROWS,
  });
  if (ended.length > 0) await manager.delete(ApiKey, { id: In(ended.map(({ id }) => id)) });
}
