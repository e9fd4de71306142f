import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import { RecurringTask } from '../background/index.js';
import { Database } from '../database/index.js';
import { AuditRecord } from './audit-record.entity.js';
import { KeyVerifier } from './key-verifier.js';

/** How often changes are looked for, in milliseconds; they must hold everywhere within a second. */
const POLL_INTERVAL_MS = 100;

/** Notices changes of keys and accounts that other processes made, by the audit records that these left. */
@Injectable()
export class KeyChangesPoller implements OnModuleInit, OnApplicationShutdown {
  /** Undefined until the first successful poll. */
  private lastSeenId: number | undefined;
  private readonly task = new RecurringTask('looking for changes of keys', POLL_INTERVAL_MS, () => this.poll());

  constructor(
    private readonly database: Database,
    private readonly verifier: KeyVerifier,
  ) {}

  /**
   * Drops the cached keys that were changed since the poll before; the first poll drops all.
   * @throws (rejects) ApiError service_unavailable when the database can't be asked; the next poll catches up
   */
  async poll(): Promise<void> {
    if (this.lastSeenId === undefined) return this.begin();
    const after = this.lastSeenId;
    const records = await this.database.read((manager) =>
      manager.find(AuditRecord, {
        select: { id: true, accountId: true, keyId: true },
        where: { id: MoreThan(after) },
        order: { id: 'ASC' },
      }),
    );
    const last = records.at(-1);
    if (last === undefined) return;
    this.verifier.forget(records);
    this.lastSeenId = last.id;
  }

  async onModuleInit(): Promise<void> {
    await this.task.run();
    this.task.start();
  }

  /** Not earlier, since requests that are under way while the service stops are checked as well. */
  async onApplicationShutdown(): Promise<void> {
    await this.task.stop();
  }

  private async begin(): Promise<void> {
    this.lastSeenId = (await this.database.read((manager) => manager.maximum(AuditRecord, 'id'))) ?? 0;
    this.verifier.forgetAll();
  }
}
