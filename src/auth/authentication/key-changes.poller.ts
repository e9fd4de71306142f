import { Injectable } from '@nestjs/common';
import { MoreThanOrEqual } from 'typeorm';
import { RecurringTask } from '../../platform/recurring-task.js';
import { Database } from '../../database/database.js';
import { AuditRecord } from '../keys/audit-record.entity.js';
import { KeyVerifier } from './key-verifier.js';

/** Changes must take effect on every instance within a second. */
const POLL_INTERVAL_MS = 100;

const NO_RECORD: Pick<AuditRecord, 'id' | 'at'> = { id: 0, at: 0 };

/** Polls the audit records for changes of keys and accounts by other processes. */
@Injectable()
export class KeyChangesPoller extends RecurringTask {
  /** The last record that was processed. Undefined until the first successful poll. */
  private last: typeof NO_RECORD | undefined;

  constructor(
    private readonly database: Database,
    private readonly verifier: KeyVerifier,
  ) {
    super('polling for changes of keys', POLL_INTERVAL_MS, () => this.poll(), { runsAtStart: true });
  }

  /** Removes changed keys from the cache. The first poll clears it; a poll after one that failed catches up. */
  async poll(): Promise<void> {
    const { last } = this;
    if (last === undefined) return this.begin();
    const records = await this.database.manager.find(AuditRecord, {
      select: { id: true, at: true, accountId: true, keyId: true },
      where: { id: MoreThanOrEqual(last.id) },
      order: { id: 'ASC' },
    });
    const [first] = records;
    // A failover or a restored backup can lose records, and give their identifiers to others.
    const isLost = last !== NO_RECORD && (first?.id !== last.id || first.at !== last.at);
    if (isLost) return this.begin();
    for (const record of records) if (record.id !== last.id) this.verifier.forget(record);
    this.last = records.at(-1) ?? last;
  }

  private async begin(): Promise<void> {
    const [newest = NO_RECORD] = await this.database.manager.find(AuditRecord, {
      select: { id: true, at: true },
      order: { id: 'DESC' },
      take: 1,
    });
    this.last = newest;
    this.verifier.forgetAll();
  }
}
