import { Account } from '../../src/auth/keys/account.entity.js';
import { AuditRecord } from '../../src/auth/keys/audit-record.entity.js';
import type { PlanName } from '../../src/auth/keys/plan.js';
import { ApiKey } from '../../src/auth/keys/api-key.entity.js';
import { SCOPES } from '../../src/auth/keys/scopes.js';
import { Database } from '../../src/database/database.js';
import { generateApiKey, hashApiKey, maskApiKey } from '../../src/auth/keys/api-key-format.js';
import { KeyChangesPoller } from '../../src/auth/authentication/key-changes.poller.js';
import type { TestApp } from '../support/app.js';
import { AMPLE } from '../support/folders.js';

const MADE_AT_MS = Date.parse('2026-11-01T00:00:00Z');

interface Terms {
  readonly plan: PlanName;
  readonly perMinute?: number;
  readonly perDay?: number;
  readonly suspendedAt?: number;
}

const ACCOUNTS: Readonly<Record<string, Terms>> = {
  ample: AMPLE,
  other: AMPLE,
  crowded: AMPLE,
  poor: { plan: 'enterprise', perMinute: 3, perDay: 8 },
  pro: { plan: 'pro' },
  suspended: { ...AMPLE, suspendedAt: MADE_AT_MS },
};

interface Holder {
  readonly account: string;
  /** An identifier that sorts differently by locale and by bytes. */
  readonly id: string;
  readonly secret: string;
  readonly scopes: readonly string[];
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

const holder = (account: string, id: string, more: Partial<Holder> = {}): Holder => ({
  account,
  id,
  secret: generateApiKey('live'),
  scopes: SCOPES,
  expiresAt: null,
  revokedAt: null,
  ...more,
});

/** The callers in the recording, by the placeholder of their secret. */
export const HOLDERS: Readonly<Record<string, Holder>> = {
  ample: holder('ample', 'key_a000000000000000'),
  reader: holder('ample', 'key_B000000000000000', { scopes: ['pets:read'] }),
  stranger: holder('ample', 'key_AA00000000000000', { scopes: ['toys:read'] }),
  manager: holder('ample', 'key_b0000000000000zZ', { scopes: ['keys:manage', 'pets:read'] }),
  sibling: holder('ample', 'key_0000000000000000'),
  expired: holder('ample', 'key_aA00000000000000', { expiresAt: MADE_AT_MS + 1 }),
  revoked: holder('ample', 'key_Aa00000000000000', { revokedAt: MADE_AT_MS + 1 }),
  unused: holder('ample', 'key_zzzzzzzzzzzzzzzz'),
  other: holder('other', 'key_c000000000000000'),
  poor: holder('poor', 'key_D000000000000000'),
  pro: holder('pro', 'key_d000000000000000'),
  suspended: holder('suspended', 'key_E000000000000000'),
  ...Object.fromEntries(
    Array.from({ length: 100 }, (_, n) => [
      `crowded ${n}`,
      holder('crowded', `key_crowded${String(n).padStart(9, '0')}`),
    ]),
  ),
};

export async function importHolders({ app }: TestApp): Promise<void> {
  await app.get(Database).write(async (manager) => {
    const ids = new Map<string, number>();
    for (const [name, terms] of Object.entries(ACCOUNTS)) {
      const account = manager.create(Account, { name, ...terms, createdAt: MADE_AT_MS });
      await manager.insert(Account, account);
      ids.set(name, account.id);
    }
    for (const { account, id, secret, scopes, expiresAt, revokedAt } of Object.values(HOLDERS)) {
      const accountId = ids.get(account) ?? 0;
      const masked = maskApiKey(secret);
      const never = { pausedAt: null, lastUsedAt: null, bansLiftedAt: null };
      const times = { createdAt: MADE_AT_MS, expiresAt, revokedAt, ...never };
      const sha256 = hashApiKey(secret);
      await manager.insert(ApiKey, { id, accountId, sha256, masked, scopes: [...scopes], ...times });
      const detail = JSON.stringify({ masked, scopes, lifetimeMs: null });
      const about = { actor: 'test', action: 'key.created', accountId, keyId: id, detail } as const;
      await manager.insert(AuditRecord, { at: MADE_AT_MS, ...about });
    }
  });
  // Poll now. Otherwise the service would reload the new keys at an unpredictable time.
  await app.get(KeyChangesPoller).poll();
}
