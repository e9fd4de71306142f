import { type IssuedKey, keyJson, type KeyListing } from '../api-keys/index.js';

/** A new key for people. */
export function issuedText({ id, name, key, account, plan, limits, scopes, expiresAt }: IssuedKey): string {
  return [
    `Key:     ${key}`,
    '         Store it safely. It is not shown again.',
    `Id:      ${id}`,
    ...(name === null ? [] : [`Name:    ${name}`]),
    `Account: ${account}, plan ${plan} (${limits.perMinute} requests a minute, ${limits.perDay} a day)`,
    `Scopes:  ${scopes.join(' ')}`,
    `Expires: ${time(expiresAt, 'never')}`,
  ].join('\n');
}

/** Iterates over all keys, one page at a time. */
export type KeyPages = () => AsyncIterable<readonly KeyListing[]>;

const HEAD = ['ID', 'NAME', 'KEY', 'ACCOUNT', 'PLAN', 'SCOPES', 'CREATED', 'EXPIRES', 'REVOKED', 'LAST USED'];

/** Keys for people, in aligned columns, page by page. */
export async function* listText(pages: KeyPages): AsyncGenerator<string> {
  const columns = new Columns();
  columns.fit(HEAD);
  for await (const keys of pages()) for (const key of keys) columns.fit(cellsOf(key));
  yield columns.line(HEAD);
  for await (const keys of pages()) yield keys.map((key) => `\n${columns.line(cellsOf(key))}`).join('');
}

/** Rows in aligned columns. */
export function tableText(rows: readonly (readonly string[])[]): string {
  const columns = new Columns();
  for (const row of rows) columns.fit(row);
  return rows.map((row) => columns.line(row)).join('\n');
}

/** The columns of a table, as wide as their widest cells. */
class Columns {
  private readonly widths: number[] = [];

  fit(cells: readonly string[]): void {
    for (const [column, cell] of cells.entries()) this.widths[column] = Math.max(this.widths[column] ?? 0, cell.length);
  }

  line(cells: readonly string[]): string {
    return cells
      .map((cell, column) => cell.padEnd(this.widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  }
}

/** Keys for programs, on one line, page by page. */
export async function* listJson(pages: KeyPages): AsyncGenerator<string> {
  let separator = '[';
  for await (const keys of pages()) {
    yield separator + keys.map((key) => JSON.stringify(keyJson(key))).join();
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

function cellsOf({ id, name, masked, account, plan, scopes, ...key }: KeyListing): string[] {
  const { createdAt, expiresAt, revokedAt, lastUsedAt } = key;
  const times = [createdAt, expiresAt, revokedAt, lastUsedAt].map((timeMs) => time(timeMs, '-'));
  return [id, name ?? '-', masked, account, plan, scopes.join(), ...times];
}

/** To the second, to fit a table. */
export function time(timeMs: number | null, otherwise: string): string {
  return timeMs === null ? otherwise : new Date(timeMs).toISOString().replace(/\.[0-9]+Z$/, 'Z');
}
