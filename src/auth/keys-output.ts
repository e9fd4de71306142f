import type { IssuedKey } from './issued-key.js';
import type { KeyListing } from './key-listing.js';

/** A new key for people. */
export function issuedText({ id, key, account, plan, limits, scopes, expiresAt }: IssuedKey): string {
  return [
    `Key:     ${key}`,
    '         Keep it safe: it is not shown again.',
    `Id:      ${id}`,
    `Account: ${account}, plan ${plan} (${limits.perMinute} requests a minute, ${limits.perDay} a day)`,
    `Scopes:  ${scopes.join(' ')}`,
    `Expires: ${time(expiresAt, 'never')}`,
  ].join('\n');
}

/** A new key for programs, in one line. */
export function issuedJson({ id, key, account, plan, scopes, expiresAt }: IssuedKey): string {
  return JSON.stringify({ id, key, account, plan, scopes, expiresAt: isoTime(expiresAt) });
}

/** Keys for people, in aligned columns. */
export function listText(keys: readonly KeyListing[]): string {
  const head = ['ID', 'KEY', 'ACCOUNT', 'PLAN', 'SCOPES', 'CREATED', 'EXPIRES', 'REVOKED', 'LAST USED'];
  const rows = keys.map(({ id, masked, account, plan, scopes, createdAt, expiresAt, revokedAt, lastUsedAt }) => [
    id,
    masked,
    account,
    plan,
    scopes.join(','),
    ...[createdAt, expiresAt, revokedAt, lastUsedAt].map((timeMs) => time(timeMs, '-')),
  ]);
  const table = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd()).join('\n');
}

/** Keys for programs, in one line. */
export function listJson(keys: readonly KeyListing[]): string {
  return JSON.stringify(
    keys.map(({ createdAt, expiresAt, revokedAt, lastUsedAt, ...key }) => ({
      ...key,
      createdAt: isoTime(createdAt),
      expiresAt: isoTime(expiresAt),
      revokedAt: isoTime(revokedAt),
      lastUsedAt: isoTime(lastUsedAt),
    })),
  );
}

/** To the second, which is what fits a table. */
export function time(timeMs: number | null, otherwise: string): string {
  return isoTime(timeMs)?.replace(/\.[0-9]+Z$/, 'Z') ?? otherwise;
}

function isoTime(timeMs: number | null): string | null {
  return timeMs === null ? null : new Date(timeMs).toISOString();
}
