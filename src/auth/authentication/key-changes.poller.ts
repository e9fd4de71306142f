import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { RecurringTask } from '../../platform/recurring-task.js';
import { SharedVersion } from '../../platform/redis/shared-version.js';
import { Database } from '../../database/database.js';
import { query } from '../../database/statements.js';
import { AuditRecord } from '../keys/audit-record.entity.js';
import { KeyVerifier } from './key-verifier.js';

const POLL_INTERVAL_MS = 100;
/** Changes must take effect on every instance within a second. */
const MAX_AGE_MS = 900;
/** How long a request waits for a poll. After that, the database is slow, and keys that are known stay known. */
const MAX_WAIT_MS = 500;

/** Changes that operators look for in the log. */
const LOGGED =
  /^(account\.(deleted|limits_changed|plan_changed|resumed|suspended)|key\.(paused|resumed|revoked|unbanned))$/;

type Change = Pick<AuditRecord, 'id' | 'at' | 'actor' | 'action' | 'accountId' | 'keyId'>;

/** `find` takes 0.6 ms, which one request of each poll waits for. */
const SELECT_CHANGES = `
  SELECT "id", "at", "actor", "action", "account_id" AS "accountId", "key_id" AS "keyId"
  FROM "audit_records" WHERE "id" >= ? ORDER BY "id"`;

const NO_RECORD: Pick<AuditRecord, 'id' | 'at'> = { id: 0, at: 0 };

/**
 * Polls the audit records for changes of keys and accounts, and logs some: while there are requests, and at once when the version
 * of keys in Redis says that there is a change.
 */
@Injectable()
export class KeyChangesPoller extends RecurringTask {
  private readonly logger = new Logger('Keys');
  /** The last record that was processed. Undefined until the first successful poll. */
  private last: typeof NO_RECORD | undefined;
  private beganMs = 0;
  private endedMs = 0;
  /** The version of keys before the last poll. */
  private polled: number | undefined;

  constructor(
    private readonly database: Database,
    private readonly verifier: KeyVerifier,
    @Inject(SharedVersion) private readonly version: SharedVersion | undefined,
  ) {
    super('polling for changes of keys', POLL_INTERVAL_MS, () => this.poll(), {
      runsAtStart: true,
      restsWhenIdle: () => true,
    });
  }

  /** Whether it has read the changes that the version of keys tells of. Without Redis, there is none. */
  get isCurrent(): boolean {
    return this.version?.current === this.polled;
  }

  /** Polls before the first request after a rest or a change. Undefined if that is not needed. */
  catchUp(): Promise<unknown> | undefined {
    const nowMs = performance.now();
    if (this.isCurrent && nowMs < this.endedMs + MAX_AGE_MS) return undefined;
    const isSlow = this.beganMs > this.endedMs && nowMs > this.beganMs + MAX_WAIT_MS;
    // After a stall of this process, the timer fires before the answer is read that came meanwhile.
    const waited = () => delay(MAX_WAIT_MS, undefined, { ref: false }).then(() => nextTurn());
    return isSlow ? undefined : Promise.race([this.pollAnew(), waited()]);
  }

  /** Removes changed keys from the cache. The first poll clears it; a poll after one that failed catches up. */
  async poll(): Promise<void> {
    this.beganMs = performance.now();
    const version = this.version?.current;
    await this.read().finally(() => {
      this.endedMs = performance.now();
      // Also after a failure, so that requests do not wait for a database that is unavailable.
      this.polled = version;
    });
  }

  private async pollAnew(): Promise<void> {
    await this.tryRun();
    // A poll that was running may have begun before the change.
    if (!this.isCurrent) await this.tryRun();
  }

  private async read(): Promise<void> {
    const { last } = this;
    if (last === undefined) return this.begin();
    const records = await query<Change>(this.database.manager, SELECT_CHANGES, [last.id]);
    const [first] = records;
    // A failover or a restored backup can lose records, and give their identifiers to others.
    const isLost = last !== NO_RECORD && (first?.id !== last.id || first.at !== last.at);
    if (isLost) return this.begin();
    for (const { id, action, actor, accountId, keyId } of records) {
      if (id === last.id) continue;
      this.verifier.forget({ accountId, keyId });
      if (LOGGED.test(action)) this.logger.log({ message: action, actor, accountId, keyId: keyId ?? undefined });
    }
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
