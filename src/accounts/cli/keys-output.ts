import type { AccountSummary } from '../accounts.js';
import type { AuditEntry } from '../../auth/keys/audit-record.entity.js';
import type { IssuedKey, KeyDetails, RotatedKey } from '../keys/key-responses.dto.js';

export function issuedText({ id, name, key, account, plan, scopes, expiresAt }: IssuedKey): string {
  return [
    `Key:     ${key}`,
    '         Store it safely. It is not shown again.',
    `Id:      ${id}`,
    ...(name === undefined ? [] : [`Name:    ${name}`]),
    `Account: ${account}, plan ${plan}`,
    `Scopes:  ${scopes.join(' ')}`,
    `Expires: ${time(expiresAt, 'never')}`,
  ].join('\n');
}

export function rotatedText(rotated: RotatedKey): string {
  return `${issuedText(rotated)}\nOld key: ${rotated.replaces} works until ${time(rotated.replacedExpiresAt)}`;
}

/** Keys for people, 100 columns wide like all tables. `show` has the rest. */
export function listText(keys: readonly KeyDetails[], nowMs: number): string {
  const rows = keys.map((key) => {
    const { id, masked, name = '-', account, expiresAt = '-', lastUsedAt = '-' } = key;
    const dates = [expiresAt, lastUsedAt].map((at) => at.slice(0, '2026-11-21'.length));
    const names = [name, account].map((one) => clipped(one, 16));
    return [id, masked.slice('psk_live_'.length), ...names, stateOf(key, nowMs), ...dates];
  });
  return table([['ID', 'KEY', 'NAME', 'ACCOUNT', 'STATE', 'EXPIRES', 'LAST USED'], ...rows]);
}

/** Everything about a key for people, one field a line, by the names of the API. */
export function keyText(key: KeyDetails, nowMs: number): string {
  const fields = Object.entries({ ...key, scopes: key.scopes.join(' '), state: stateOf(key, nowMs) });
  return table(fields.map(([name, value]) => [`${name}:`, value]));
}

export function accountsText(accounts: readonly AccountSummary[]): string {
  const rows = accounts.map(({ account, plan, perMinute, perDay, activeKeys, lastUsedAt }) => [
    clipped(account, 28),
    plan,
    ...[perMinute, perDay, activeKeys].map(String),
    time(lastUsedAt, '-'),
  ]);
  return table([['ACCOUNT', 'PLAN', 'PER MINUTE', 'PER DAY', 'ACTIVE KEYS', 'LAST USED'], ...rows]);
}

export function usageText(columns: readonly string[], rows: readonly object[]): string {
  const head = columns.map((name) => name.replace('_', ' ').toUpperCase());
  return table([head, ...rows.map((row) => Object.values(row).map((value) => clipped(String(value), 28)))]);
}

/** Aligned columns, as wide as their widest cells. */
export function table(rows: readonly string[][]): string {
  const widths: number[] = [];
  for (const cells of rows)
    for (const [column, cell] of cells.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  const lineOf = (cells: readonly string[]) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return rows.map((cells) => lineOf(cells).trimEnd()).join('\n');
}

export function auditText(entries: readonly AuditEntry[]): string {
  const rows = entries.map(({ at, actor, action, account, keyId }) => {
    return [time(at), clipped(actor, 20), action, clipped(account, 12), keyId ?? '-'];
  });
  return table([['AT', 'ACTOR', 'ACTION', 'ACCOUNT', 'KEY'], ...rows]);
}

function stateOf({ revokedAt, expiresAt, pausedAt }: KeyDetails, nowMs: number): string {
  if (revokedAt !== undefined) return 'revoked';
  if (expiresAt !== undefined && Date.parse(expiresAt) <= nowMs) return 'expired';
  return pausedAt === undefined ? 'active' : 'paused';
}

/** The beginning of a name that is too long for a table. @param most in UTF-16 units, as `table` counts */
function clipped(name: string, most: number): string {
  return name.length > most ? `${name.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…` : name;
}

/** To the second, to fit a table. */
function time(at: string | undefined, otherwise = ''): string {
  return at?.replace(/\.[0-9]+Z$/, 'Z') ?? otherwise;
}

/** Makes characters visible that a terminal would interpret. Names of older keys can have them. */
export function escaped(text: string): string {
  return text.replaceAll(
    /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
