import type { EntityManager } from 'typeorm';
import type { Account } from './account.entity.js';
import { type AuditAction, AuditRecord } from './audit-record.entity.js';

/** Who does an operation, when (Unix time, milliseconds), and the transaction that it is part of. */
export interface Operation {
  readonly manager: EntityManager;
  readonly actor: string;
  readonly atMs: number;
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
