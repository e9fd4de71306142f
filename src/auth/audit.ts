import type { EntityManager } from 'typeorm';
import { lockUntilCommit } from '../database/index.js';
import type { Account } from './account.entity.js';
import { type AuditAction, AuditRecord } from './audit-record.entity.js';

/** Who does an operation, when (Unix time, milliseconds), and the transaction that it is part of. */
export interface Operation {
  readonly manager: EntityManager;
  readonly actor: string;
  readonly atMs: number;
}

/**
 * Begins an operation in a transaction that is open. Operations take turns, over all instances: each finds what the one
 * before left, and their records become visible in the order of their numbers, as those who look for new ones rely on.
 */
export async function beginOperation(manager: EntityManager, actor: string, atMs: number): Promise<Operation> {
  await lockUntilCommit(manager, 'key operations');
  return { manager, actor, atMs };
}

/** Writes down an operation in its own transaction: no change without its record, and no record without its change. */
export async function audit(
  { manager, actor, atMs }: Operation,
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
