import type { EntityManager } from 'typeorm';
import { lockUntilCommit } from '../database/index.js';
import type { Account } from './account.entity.js';
import { type AuditAction, AuditRecord } from './audit-record.entity.js';

/** The actor and the time (Unix time in milliseconds) of an operation, and its transaction. */
export interface AuditedOperation {
  readonly manager: EntityManager;
  readonly actor: string;
  readonly atMs: number;
}

/**
 * Begins an operation in an open transaction. Operations are serialised over all instances, so that each sees the result
 * of the one before, and records become visible in the order of their numbers; the poller of key changes relies on that.
 */
export async function beginOperation(manager: EntityManager, actor: string, atMs: number): Promise<AuditedOperation> {
  await lockUntilCommit(manager, 'key operations');
  return { manager, actor, atMs };
}

/** Records an operation in its own transaction: neither exists without the other. */
export async function audit(
  { manager, actor, atMs }: AuditedOperation,
  action: AuditAction,
  subject: { readonly account: Pick<Account, 'id'>; readonly keyId?: string },
  detail: object,
): Promise<void> {
  await manager.insert(AuditRecord, {
    at: atMs,
    actor,
    action,
    accountId: subject.account.id,
    keyId: subject.keyId ?? null,
    detail: JSON.stringify(detail),
  });
}
