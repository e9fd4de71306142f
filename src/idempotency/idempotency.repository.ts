import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { query } from '../database/index.js';
import type { IdempotencyRecord } from './idempotency-record.entity.js';

/** All statements on the records of idempotent requests. */
@Injectable()
export class IdempotencyRepository {
  /** The record of a key, unless it has expired. */
  async find(
    manager: EntityManager,
    { accountId, idempotencyKey }: Pick<IdempotencyRecord, 'accountId' | 'idempotencyKey'>,
    nowMs: number,
  ): Promise<Pick<IdempotencyRecord, 'fingerprint' | 'sealedAnswer'> | undefined> {
    const [record] = await query<Pick<IdempotencyRecord, 'fingerprint' | 'sealedAnswer'>>(
      manager,
      'SELECT "fingerprint", "sealed_answer" AS "sealedAnswer" FROM "idempotency_records" ' +
        'WHERE "account_id" = ? AND "idempotency_key" = ? AND "expires_at" > ?',
      [accountId, idempotencyKey, nowMs],
    );
    return record;
  }

  /** Writes a record, in place of an expired one where there is one. */
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
   * Deletes expired records, the oldest first.
   * @param most how many
   * @returns how many there were
   */
  async deleteExpired(manager: EntityManager, nowMs: number, most: number): Promise<number> {
    const deleted = await query(
      manager,
      // Asked twice, as PostgreSQL asks again only on the row itself whether one that was meanwhile written anew is meant.
      'DELETE FROM "idempotency_records" WHERE "expires_at" <= ? AND ("account_id", "idempotency_key") IN ' +
        '(SELECT "account_id", "idempotency_key" FROM "idempotency_records" WHERE "expires_at" <= ? ORDER BY "expires_at" LIMIT ?) RETURNING 1 AS "deleted"',
      [nowMs, nowMs, most],
    );
    return deleted.length;
  }
}
