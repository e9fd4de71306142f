import type { EntityManager, FindOptionsWhere } from 'typeorm';
import { ApiError } from '../errors/index.js';
import { ApiKey } from './api-key.entity.js';
import { audit, type Operation } from './audit.js';
import { AuditRecord } from './audit-record.entity.js';
import { type IssuedKey, issueKey, specOf } from './issued-key.js';
import { checkDuration } from './key-rules.js';
import { KeysError } from './keys-error.js';

/** The successor of a key. */
export interface RotatedKey extends IssuedKey {
  /** Id of the old key. */
  readonly replaces: string;
  /** When the old key stops working: Unix time in milliseconds. */
  readonly replacedExpiresAt: number;
}

/** @throws (rejects) ApiError api_key_not_found */
export async function findKey(manager: EntityManager, where: FindOptionsWhere<ApiKey>): Promise<ApiKey> {
  const key = await manager.findOne(ApiKey, { where, relations: { account: true } });
  if (key === null) throw keyNotFound();
  return key;
}

/** Does not repeat what was given: it may be the key itself, by mistake. */
export function keyNotFound(): ApiError {
  return new ApiError('api_key_not_found', 'There is no API key with this id. Ids look like key_0123456789abcdef.');
}

/** @throws KeysError where the key was revoked */
export function checkUsable(key: ApiKey): void {
  if (key.revokedAt === null) return;
  throw new KeysError(`The key ${key.id} was revoked at ${new Date(key.revokedAt).toISOString()}; make a new one.`);
}

/** Ends a key for good. Fulfilled with whether it did: `false` for a key that was revoked before. */
export async function revokeKey(operation: Operation, key: ApiKey): Promise<boolean> {
  if (key.revokedAt !== null) return false;
  await operation.manager.update(ApiKey, key.id, { revokedAt: operation.atMs });
  await audit(operation, 'key.revoked', { account: key.account, keyId: key.id }, {});
  return true;
}

/**
 * Makes a key with the account, scopes and lifetime of another, which works on for `overlapMs` milliseconds unless it
 * expires before.
 * @throws KeysError where the key was revoked, or the overlap is none
 */
export async function rotateKey(operation: Operation, key: ApiKey, overlapMs: number): Promise<RotatedKey> {
  checkUsable(key);
  const replacedExpiresAt = Math.min(key.expiresAt ?? Infinity, operation.atMs + checkDuration('overlap', overlapMs, 0));
  const issued = await issueKey(operation, key.account, await specOf(operation.manager, key));
  await operation.manager.update(ApiKey, key.id, { expiresAt: replacedExpiresAt });
  const detail: Rotation = { successor: issued.id, expiresAt: replacedExpiresAt };
  await audit(operation, 'key.rotated', { account: key.account, keyId: key.id }, detail);
  return { ...issued, replaces: key.id, replacedExpiresAt };
}

/** Id of the key that last took the place of another; undefined for a key that was not rotated. */
export async function successorOf(manager: EntityManager, key: ApiKey): Promise<string | undefined> {
  const where = { keyId: key.id, action: 'key.rotated' } as const;
  const record = await manager.findOne(AuditRecord, { where, order: { id: 'DESC' } });
  return record === null ? undefined : (JSON.parse(record.detail) as Rotation).successor;
}

/** What the audit record of a rotation has. */
interface Rotation {
  /** Id of the new key. */
  readonly successor: string;
  /** When the old key stops working: Unix time in milliseconds. */
  readonly expiresAt: number;
}
