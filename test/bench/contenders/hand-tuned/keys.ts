import { hash } from 'node:crypto';

export interface KeyRow {
  readonly accountId: number;
  readonly perMinute: number;
  readonly perDay: number;
  readonly scopes: string;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

/** Selects a key with its account. The last parameter is the SHA-256 hash of the key. */
export const SELECT_KEY = `SELECT account_id AS "accountId", per_minute AS "perMinute", per_day AS "perDay", scopes,
  expires_at AS "expiresAt", revoked_at AS "revokedAt"
  FROM api_keys JOIN accounts ON accounts.id = account_id WHERE sha256 = `;

export type KeyFinder = (token: string) => KeyRow | undefined | Promise<KeyRow | undefined>;

/** How long a cached row stays valid, in milliseconds. A revocation must take effect within a second. */
const FRESH_MS = 1_000;

/** Finds a key by its hash and caches it for a short time. */
export function keyFinder(select: (sha256: string) => KeyRow | undefined | Promise<KeyRow | undefined>): KeyFinder {
  const known = new Map<string, { readonly row: KeyRow; readonly untilMs: number }>();
  const remember = (sha256: string, row: KeyRow | undefined) => {
    if (row === undefined) return undefined;
    const nowMs = Date.now();
    known.set(sha256, { row, untilMs: nowMs + FRESH_MS });
    return isGood(row, nowMs) ? row : undefined;
  };
  return (token) => {
    const sha256 = hash('sha256', token);
    const nowMs = Date.now();
    const entry = known.get(sha256);
    if (entry !== undefined && nowMs < entry.untilMs) return isGood(entry.row, nowMs) ? entry.row : undefined;
    const row = select(sha256);
    return row instanceof Promise ? row.then((found) => remember(sha256, found)) : remember(sha256, row);
  };
}

function isGood({ revokedAt, expiresAt }: KeyRow, nowMs: number): boolean {
  return revokedAt === null && (expiresAt === null || nowMs < expiresAt);
}
