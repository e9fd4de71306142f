import type { EntityManager } from 'typeorm';
import { Account } from './account.entity.js';
import { ApiKey } from './keys/api-key.entity.js';
import { rfc3339 } from './keys/key.dto.js';
import { type Limits, limitsOf, type PlanName } from './plan.js';

/** An account, for operators. */
export interface AccountSummary extends Limits {
  readonly account: string;
  readonly plan: PlanName;
  /** Keys that are neither revoked nor expired. Paused ones count. */
  readonly activeKeys: number;
  /** Of all its keys, in RFC 3339. */
  readonly lastUsedAt?: string;
}

/** All accounts, oldest first. */
export async function summariseAccounts(manager: EntityManager, atMs: number): Promise<AccountSummary[]> {
  const isActive = 'key.revokedAt IS NULL AND (key.expiresAt IS NULL OR key.expiresAt > :atMs)';
  const accounts = manager
    .createQueryBuilder(Account, 'account')
    .leftJoin(ApiKey, 'key', 'key.accountId = account.id')
    .addSelect(`COUNT(CASE WHEN ${isActive} THEN key.id END)`, 'active')
    .addSelect('MAX(key.lastUsedAt)', 'used')
    .setParameters({ atMs })
    .groupBy('account.id')
    .orderBy('account.id');
  // PostgreSQL returns numbers as texts.
  const { entities, raw } = await accounts.getRawAndEntities<{
    active: number | string;
    used: number | string | null;
  }>();
  return entities.map((account, index) => {
    const { active = 0, used = null } = raw[index] ?? {};
    const lastUse = used === null ? {} : { lastUsedAt: rfc3339(Number(used)) };
    return { account: account.name, plan: account.plan, ...limitsOf(account), activeKeys: Number(active), ...lastUse };
  });
}
