import { Injectable, Optional } from '@nestjs/common';
import { Subject } from 'rxjs';
import { type EntityManager, type FindOptionsWhere, In } from 'typeorm';
import { type Page, type PageRequest, readPage } from '../../database/paging/page.js';
import { byBytes, query } from '../../database/statements.js';
import { rfc3339 } from '../../platform/config/clock.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { SharedVersion } from '../../platform/redis/shared-version.js';
import { ApiKey } from './api-key.entity.js';

type KeyPlace = Pick<ApiKey, 'accountId' | 'createdAt' | 'id'>;

/** Large enough for few round trips, small enough not to block writers. */
const KEYS_PER_PAGE = 1_000;

/** The key that an operation changed; `null` means all keys of the account. */
export interface KeyChange {
  readonly accountId: number;
  readonly keyId: string | null;
}

/** Changes by this process, when they are in effect; other processes read the audit records. */
@Injectable()
export class KeyChanges extends Subject<KeyChange> {
  constructor(@Optional() private readonly version?: SharedVersion) {
    super();
  }

  /** Fulfilled when the change is in effect here, and in the next request on instances that share Redis. */
  async announce(change: KeyChange): Promise<void> {
    this.next(change);
    await this.version?.bump();
  }
}

/** All queries of keys. Keys are loaded with their accounts, in index order. */
@Injectable()
export class ApiKeysRepository {
  /** @param where has an identifier or a hash, so that at most one key matches */
  find(manager: EntityManager, where: FindOptionsWhere<ApiKey>): Promise<ApiKey | null> {
    // `findOne` with a relation sends two statements, in case joins repeat rows.
    return withAccount(manager).where(where).getOne();
  }

  findAll(manager: EntityManager, ids: readonly string[]): Promise<ApiKey[]> {
    if (ids.length === 0) return Promise.resolve([]);
    return withAccount(manager)
      .where({ id: In([...new Set(ids)]) })
      .getMany();
  }

  /** @throws (rejects) DomainError `api_key_not_found` */
  async get(manager: EntityManager, where: FindOptionsWhere<ApiKey>): Promise<ApiKey> {
    const key = await this.find(manager, where);
    if (key === null) throw keyNotFound();
    return key;
  }

  /** @throws (rejects) DomainError `api_key_not_found`; `validation_failed` if the key is revoked, or expired by `atMs` */
  async getUsable(manager: EntityManager, id: string, atMs = 0): Promise<ApiKey> {
    const key = await this.get(manager, { id });
    const ended = (how: string, endMs: number) =>
      new DomainError('validation_failed', `The key ${id} ${how} at ${rfc3339(endMs)}; create a new one.`);
    if (key.revokedAt !== null) throw ended('was revoked', key.revokedAt);
    if (key.expiresAt !== null && key.expiresAt <= atMs) throw ended('expired', key.expiresAt);
    return key;
  }

  /** Keys by account, or those of one account, oldest first, after a key if given. */
  page(manager: EntityManager, after?: KeyPlace, accountId?: number): Promise<ApiKey[]> {
    const id = byBytes(manager, 'key.id');
    const keys = withAccount(manager).orderBy('key.accountId').addOrderBy('key.createdAt').addOrderBy(id);
    if (after !== undefined) keys.where(`(key.accountId, key.createdAt, ${id}) > (:accountId, :createdAt, :id)`, after);
    if (accountId !== undefined) keys.andWhere({ accountId });
    return keys.limit(KEYS_PER_PAGE).getMany();
  }

  /** Keys of an account, oldest first. */
  pageOf(manager: EntityManager, accountId: number, request: PageRequest): Promise<Page<ApiKey>> {
    return readPage(withAccount(manager).where({ accountId }), { createdAt: 'ASC' }, request);
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

/** Does not quote the given id: by mistake, it may be the key itself. */
export function keyNotFound(advice = 'listKeys returns those of the account.'): DomainError {
  return new DomainError('api_key_not_found', `There is no API key with this id. ${advice}`);
}
