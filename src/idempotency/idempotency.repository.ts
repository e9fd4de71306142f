import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { query } from '../database/index.js';
import type { IdempotencyRecord } from './idempotency-record.entity.js';

type Stored = Pick<IdempotencyRecord, 'fingerprint' | 'sealedAnswer'>;

/** All SQL of idempotency records. */
@Injectable()
export class IdempotencyRepository {
  /** The record of a key, unless it has expired. */
  async find(
    manager: EntityManager,
    { accountId, idempotencyKey }: Pick<IdempotencyRecord, 'accountId' | 'idempotencyKey'>,
    nowMs: number,
  ): Promise<Stored | undefined> {
    const [record] = await query<Stored>(
      manager,
      'SELECT "fingerprint", "sealed_answer" AS "sealedAnswer" FROM "idempotency_records" ' +
        'WHERE "account_id" = ? AND "idempotency_key" = ? AND "expires_at" > ?',
      [accountId, idempotencyKey, nowMs],
    );
    return record;
  }

  /** Writes a record; replaces an expired one. */
  async save(manager: EntityManager, record: IdempotencyRecord): Promise<void> {
    const { accountId, idempotencyKey, fingerprint, sealedAnswer, expiresAt } = record;
    await query(
      manager,
      'INSERT INTO "idempotency_records" ("account_id", "idempotency_key", "fingerprint", "sealed_answer", "expires_at") VALUES (?, ?, ?, ?, ?) ' +
        'ON CONFLICT ("account_id", "idempotency_key") DO UPDATE SET ' +
        '"fingerprint" = excluded."fingerprint", "sealed_answer" = excluded."sealed_answer", "expires_at" = excluded."expires_at"',
      [accountId, idempotencyKey, fingerprint, sealedAnswer, expiresAt],
    );
  }

  /**
   * Deletes expired records, oldest first.
   * @param most maximum number
   * @returns the number of deleted records
   */
  async deleteExpired(manager: EntityManager, nowMs: number, most: number): Promise<number> {
    const deleted = await query(
      manager,
      // The condition is repeated, because PostgreSQL rechecks only the outer one for a row that was rewritten meanwhile.
      'DELETE FROM "idempotency_records" WHERE "expires_at" <= ? AND ("account_id", "idempotency_key") IN ' +
        '(SELECT "account_id", "idempotency_key" FROM "idempotency_records" WHERE "expires_at" <= ? ORDER BY "expires_at" LIMIT ?) RETURNING 1 AS "deleted"',
      [nowMs, nowMs, most],
    );
    return deleted.length;
  }
}
