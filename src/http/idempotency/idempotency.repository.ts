import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DeletionTask, OldRows } from '../../database/old-rows.js';
import { query } from '../../database/statements.js';
import type { IdempotencyRecord } from './idempotency-record.entity.js';
import type { IdempotentRequest } from './idempotency.hooks.js';

type Stored = Pick<IdempotencyRecord, 'fingerprint' | 'response'>;

@Injectable()
export class IdempotencyRepository {
  /** The record of a key, sent quoted or not, unless it has expired. Version 1 took the two for different keys. */
  async find(
    manager: EntityManager,
    { accountId, key }: IdempotentRequest,
    nowMs: number,
  ): Promise<Stored | undefined> {
    const quoted = `"${key.replaceAll(/["\\]/g, '\\$&')}"`;
    // A text that begins with a quote can only be sent quoted.
    const bare = key.startsWith('"') ? quoted : key;
    const [record] = await query<Stored>(
      manager,
      'SELECT "fingerprint", "sealed_answer" AS "response" FROM "idempotency_records" ' +
        'WHERE "account_id" = ? AND "idempotency_key" IN (?, ?) AND "expires_at" > ?',
      [accountId, bare, quoted, nowMs],
    );
    return record;
  }

  async save(manager: EntityManager, record: IdempotencyRecord): Promise<void> {
    const { accountId, idempotencyKey, fingerprint, response, expiresAt } = record;
    await query(
      manager,
      'INSERT INTO "idempotency_records" ("account_id", "idempotency_key", "fingerprint", "sealed_answer", "expires_at") VALUES (?, ?, ?, ?, ?) ' +
        'ON CONFLICT ("account_id", "idempotency_key") DO UPDATE SET ' +
        '"fingerprint" = excluded."fingerprint", "sealed_answer" = excluded."sealed_answer", "expires_at" = excluded."expires_at"',
      [accountId, idempotencyKey, fingerprint, response, expiresAt],
    );
  }
}

/** Expired records are ignored; this frees their space. */
const INTERVAL_MS = 60_000;

@Injectable()
export class RecordExpiry extends DeletionTask {
  constructor(oldRows: OldRows) {
    super(oldRows, 'deleting expired idempotency records', INTERVAL_MS, [
      { table: 'idempotency_records', isOld: '"expires_at" <= ?', at: (nowMs) => [nowMs] },
    ]);
  }
}
