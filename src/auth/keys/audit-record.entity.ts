import { Column, Entity, type EntityManager, In, Index, PrimaryGeneratedColumn } from 'typeorm';
import { rfc3339 } from '../../platform/config/clock.js';
import { currentActor } from '../../database/events/actor.js';
import { lockUntilCommit } from '../../database/locks.js';
import { readPage } from '../../database/paging/page.js';
import { Account } from './account.entity.js';

export type KeyAction =
  'created' | 'paused' | 'renamed' | 'resumed' | 'revoked' | 'rotated' | 'scopes_changed' | 'unbanned';
export type AccountAction = 'created' | 'deleted' | 'limits_changed' | 'plan_changed' | 'resumed' | 'suspended';
export type AuditAction = `account.${AccountAction}` | `key.${KeyAction}` | `webhook.${string}`;

/**
 * One operation on keys or accounts, written in its transaction and never changed. Running instances read new records to
 * learn which cached keys to drop, and `keys audit` shows them. A record can be deleted after a minute, the longest time
 * for which a key is cached.
 */
@Entity({ name: 'audit_records' })
@Index('audit_records_account_id_id', ['accountId', 'id'])
export class AuditRecord {
  @PrimaryGeneratedColumn({ type: 'integer' })
  id!: number;

  /** Unix time in milliseconds. */
  @Column({ type: 'integer' })
  at!: number;

  /** `cli:<operator or system user>`, `first-run`, the id of a key, or `unknown`. */
  @Column({ type: 'text' })
  actor!: string;

  @Column({ type: 'text' })
  action!: AuditAction;

  @Column({ type: 'integer', name: 'account_id' })
  accountId!: number;

  @Index('audit_records_key_id')
  @Column({ type: 'text', name: 'key_id', nullable: true })
  keyId!: string | null;

  /** What changed, as JSON without secrets. */
  @Column({ type: 'text' })
  detail!: string;
}

/** The time of an operation (Unix time in milliseconds), and its transaction. */
export interface AuditedOperation {
  readonly manager: EntityManager;
  readonly atMs: number;
}

/**
 * Lets one audited operation at a time continue, over all instances, until its transaction ends. So each sees the result of
 * the one before, and audit records become visible in the order of their numbers; the poller of key changes relies on that.
 */
export function lockAudit(manager: EntityManager): Promise<void> {
  return lockUntilCommit(manager, 'key operations');
}

/**
 * Records an operation of the current actor in its own transaction: neither exists without the other. Takes `lockAudit`. If
 * the transaction locks other rows before, it must take `lockAudit` first: two that wait for each other fail.
 */
export async function audit(
  { manager, atMs: at }: AuditedOperation,
  action: AuditAction,
  accountId: number,
  keyId: string | null,
  detail: object,
): Promise<void> {
  await lockAudit(manager);
  const actor = currentActor() ?? 'unknown';
  await manager.insert(AuditRecord, { at, actor, action, accountId, keyId, detail: JSON.stringify(detail) });
}

export type AuditEntry = Awaited<ReturnType<typeof readAudit>>[number];

const MAX_ENTRIES = 200;

/** The last records, newest first: of all accounts, or of one. One that was deleted is named by its identifier. */
export async function readAudit(manager: EntityManager, ofAccount?: number) {
  const records = manager.createQueryBuilder(AuditRecord, 'record');
  if (ofAccount !== undefined) records.where({ accountId: ofAccount });
  const { items } = await readPage(records, { id: 'DESC' }, { limit: MAX_ENTRIES });
  const accounts = await manager.findBy(Account, { id: In([...new Set(items.map(({ accountId }) => accountId))]) });
  const names = new Map(accounts.map(({ id, name }) => [id, name]));
  return items.map(({ at, actor, action, accountId, keyId, detail }) => ({
    at: rfc3339(at),
    actor,
    action,
    account: names.get(accountId) ?? String(accountId),
    keyId,
    detail,
  }));
}
