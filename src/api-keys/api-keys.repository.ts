import { Injectable } from '@nestjs/common';
import type { EntityManager, FindOptionsWhere } from 'typeorm';
import { byBytes, type Page, pageCursor, query, readPage } from '../database/index.js';
import { ApiKey } from './api-key.entity.js';

/** The position where a page of keys ends. */
export type KeyPosition = Pick<ApiKey, 'accountId' | 'createdAt' | 'id'>;

/** All queries of keys. Keys are loaded with their accounts, in index order. */
@Injectable()
export class ApiKeysRepository {
  /** @param where has an identifier or a hash, so that at most one key matches */
  find(manager: EntityManager, where: FindOptionsWhere<ApiKey>): Promise<ApiKey | null> {
    // `findOne` with a relation sends two statements, in case joins repeat rows.
    return withAccount(manager).where(where).getOne();
  }

  /** Up to `limit` keys by account, oldest first, after a position if given. */
  async page(manager: EntityManager, limit: number, after?: KeyPosition): Promise<readonly ApiKey[]> {
    const request = { limit, after: after && pageCursor([`${after.accountId}`, `${after.createdAt}`, after.id]) };
    return (await readPage(withAccount(manager), { accountId: 'ASC', createdAt: 'ASC' }, request)).items;
  }

  /** Keys of an account, oldest first, after a key if given. */
  pageOf(manager: EntityManager, accountId: number, limit: number, after?: KeyPosition): Promise<Page<ApiKey>> {
    const request = { limit, after: after && pageCursor([`${after.createdAt}`, after.id]) };
    return readPage(withAccount(manager).where({ accountId }), { createdAt: 'ASC' }, request);
  }

  /** Keys of an account that have not ended before a time, oldest first. */
  notEndedBefore(manager: EntityManager, accountId: number, timeMs: number): Promise<ApiKey[]> {
    return withAccount(manager)
      .where({ accountId })
      .andWhere('(key.revokedAt IS NULL OR key.revokedAt >= :timeMs)', { timeMs })
      .andWhere('(key.expiresAt IS NULL OR key.expiresAt >= :timeMs)')
      .orderBy('key.createdAt')
      .addOrderBy(byBytes(manager, 'key.id'))
      .getMany();
  }

  /**
   * Number of active keys of an account. Without statistics, SQLite finds the index of keys that are not revoked for each
   * half alone, but reads all keys of the account for both with OR.
   */
  async countActive(manager: EntityManager, accountId: number, atMs: number): Promise<number> {
    const notRevoked = 'SELECT COUNT(*) FROM "api_keys" WHERE "account_id" = ? AND "revoked_at" IS NULL';
    const [row] = await query<{ count: number }>(
      manager,
      `SELECT (${notRevoked} AND "expires_at" IS NULL) + (${notRevoked} AND "expires_at" > ?) AS "count"`,
      [accountId, accountId, atMs],
    );
    return Number(row?.count);
  }
}

function withAccount(manager: EntityManager) {
  return manager.createQueryBuilder(ApiKey, 'key').innerJoinAndSelect('key.account', 'account');
}
