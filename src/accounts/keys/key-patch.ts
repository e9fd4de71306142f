import type { AuditAction } from '../audit-record.entity.js';
import type { ApiKey } from './api-key.entity.js';
import { checkName, checkScopes } from './key-options.js';

/** Changes of a key. What is undefined stays as it is. */
export interface KeyPatch {
  /** Null removes it. */
  readonly name?: string | null | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** A paused key is refused until it is resumed. */
  readonly paused?: boolean | undefined;
}

type AuditedChange = [columns: Partial<ApiKey>, action: AuditAction, detail: object];

/**
 * The changes that a patch makes to a key, none for what it is already, with their audit records.
 * @throws InvalidOperationError for an invalid name or scope
 */
export function changesOf(key: ApiKey, { name, scopes, paused }: KeyPatch, atMs: number): AuditedChange[] {
  const changes: AuditedChange[] = [];
  if (typeof name === 'string') checkName(name);
  if (name !== undefined && name !== key.name) changes.push([{ name }, 'key.renamed', { from: key.name, to: name }]);
  const from = key.scopes.split(' ');
  const to = scopes === undefined ? from : checkScopes(scopes);
  if (from.toSorted().join() !== to.toSorted().join())
    changes.push([{ scopes: to.join(' ') }, 'key.scopes_changed', { from, to }]);
  if (paused === true && key.pausedAt === null) changes.push([{ pausedAt: atMs }, 'key.paused', {}]);
  if (paused === false && key.pausedAt !== null) changes.push([{ pausedAt: null }, 'key.resumed', {}]);
  return changes;
}
