import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import { RecurringTask } from '../../background/index.js';
import { Database } from '../../database/index.js';
import { AuditRecord } from '../../accounts/index.js';
import { KeyFilter } from './key-filter.js';
import { KeyVerifier } from './key-verifier.js';

/** How often changes are looked for, in milliseconds; they must hold everywhere within a second. */
const POLL_INTERVAL_MS = 100;

/** Notices changes of keys and accounts that other processes made, by the audit records that these left. */
@Injectable()
export class KeyChangesPoller implements OnModuleInit, OnApplicationShutdown {
  /** Undefined until the first successful poll. */
  private lastSeenId: number | undefined;
  private catchingUp: Promise<void> | undefined;
  private catchUpNext: Promise<void> | undefined;
  private readonly task = new RecurringTask('polling for changes of keys', POLL_INTERVAL_MS, () => this.poll());

  constructor(
    private readonly database: Database,
    private readonly verifier: KeyVerifier,
    private readonly filter: KeyFilter,
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
    await this.filter.loadKeys(records.map(({ keyId }) => keyId).filter((keyId) => keyId !== null));
    this.verifier.keysChanged(records);
    this.lastSeenId = last.id;
  }

  /**
   * Fulfilled once every change that was made before the call is known. Whoever calls while a poll is under way, which
   * may have come too early, waits for the next one, together.
   * @throws (rejects) as `poll`
   */
  catchUp(): Promise<void> {
    this.catchUpNext ??= Promise.allSettled([this.catchingUp]).then(() => {
      this.catchUpNext = undefined;
      this.catchingUp = this.poll();
      return this.catchingUp;
    });
    return this.catchUpNext;
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
    const lastId = (await this.database.read((manager) => manager.maximum(AuditRecord, 'id'))) ?? 0;
    await this.filter.load();
    this.lastSeenId = lastId;
    this.verifier.forgetAll();
  }
}
