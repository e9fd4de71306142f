import type { AccountSummary } from '../accounts.js';
import type { AuditEntry } from '../../auth/keys/audit-record.entity.js';
import type { IssuedKey, RotatedKey, ShownKey } from '../keys/key-responses.dto.js';

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
export async function* listText(pages: KeyPages, nowMs: number): AsyncGenerator<string> {
  // Printed with the first page, so that an error comes first.
  let head = table([['ID', 'KEY', 'NAME', 'ACCOUNT', 'STATE', 'EXPIRES', 'LAST USED']], LIST_WIDTHS);
  for await (const keys of pages) {
    const rows = keys.map((key) => {
      const { id, masked, name = '-', account, expiresAt, lastUsedAt } = key;
      const names = [name, account].map((one) => clipped(one, 15));
      return [id, masked.slice('psk_live_'.length), ...names, stateOf(key, nowMs), day(expiresAt), day(lastUsedAt)];
    });
    yield `${head}\n${table(rows, LIST_WIDTHS)}`;
    head = '';
  }
  yield head;
}

/** The same for programs, on one line. */
export async function* listJson(pages: KeyPages): AsyncGenerator<string> {
  let before = '[';
  for await (const keys of pages) {
    yield before + keys.map((key) => JSON.stringify(key)).join();
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

type KeyPages = AsyncIterable<readonly ShownKey[]>;
/** Of the columns, because pages do not know the widest cell of all. */
const LIST_WIDTHS = [20, 9, 15, 15, 9, 10, 9];

/** Everything about a key for people, one field a line, by the names of the API. */
export function keyText(key: ShownKey, nowMs: number): string {
  const fields = Object.entries({ ...key, scopes: key.scopes.join(' '), state: stateOf(key, nowMs) });
  return table(fields.map(([name, value]) => [`${name}:`, value]));
}

export function accountsText(accounts: readonly AccountSummary[]): string {
  const rows = accounts.map(
    ({ account, plan, perMinute, perDay, limitsUntil, activeKeys, lastUsedAt, suspendedAt }) => [
      clipped(account, 15),
      plan,
      ...[perMinute, perDay].map(String),
      day(limitsUntil),
      String(activeKeys),
      suspendedAt === undefined ? 'active' : 'suspended',
      day(lastUsedAt),
    ],
  );
  return table([['ACCOUNT', 'PLAN', 'PER MINUTE', 'PER DAY', 'UNTIL', 'ACTIVE KEYS', 'STATE', 'LAST USED'], ...rows]);
}

export function usageText(rows: readonly object[]): string {
  const head = Object.keys(rows[0] ?? { requests: 0 }).map((name) => name.replace('_', ' ').toUpperCase());
  return table([head, ...rows.map((row) => Object.values(row).map((value) => clipped(String(value), 28)))]);
}

/** Aligned columns, as wide as their widest cells. @param least widths, in characters */
export function table(rows: readonly string[][], least: readonly number[] = []): string {
  const widths = [...least];
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

function stateOf({ revokedAt, expiresAt, pausedAt, suspendedAt }: ShownKey, nowMs: number): string {
  if (revokedAt !== undefined) return 'revoked';
  if (expiresAt !== undefined && Date.parse(expiresAt) <= nowMs) return 'expired';
  if (pausedAt !== undefined) return 'paused';
  return suspendedAt === undefined ? 'active' : 'suspended';
}

const day = (at = '-') => at.slice(0, '2026-11-21'.length);

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
