import { Injectable } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import { RecurringTask } from '../../background/index.js';
import { Database } from '../../database/index.js';
import { AuditRecord } from '../../accounts/index.js';
import { KeyBloomFilter } from './key-bloom-filter.js';
import { KeyVerifier } from './key-verifier.js';

/** Interval between polls, in milliseconds. Changes must take effect on every instance within a second. */
const POLL_INTERVAL_MS = 100;

/** Polls the audit records for changes of keys and accounts by other processes. */
@Injectable()
export class KeyChangesPoller extends RecurringTask {
  /** Undefined until the first successful poll. */
  private lastSeenId: number | undefined;
  private catchingUp: Promise<void> | undefined;
  private catchUpNext: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly verifier: KeyVerifier,
    private readonly filter: KeyBloomFilter,
  ) {
    super('polling for changes of keys', POLL_INTERVAL_MS, () => this.poll());
  }

  /**
   * Removes keys that changed since the last poll from the cache. The first poll clears the cache.
   * @throws (rejects) UnavailableError if the database is unavailable; the next poll catches up
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
   * Fulfilled when all changes from before the call are known. Callers during a poll, which may have begun too early, share
   * the next one.
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

  override async onModuleInit(): Promise<void> {
    await this.run();
    this.start();
  }

  private async begin(): Promise<void> {
    const lastId = (await this.database.read((manager) => manager.maximum(AuditRecord, 'id'))) ?? 0;
    await this.filter.load();
    this.lastSeenId = lastId;
    this.verifier.forgetAll();
  }
}
