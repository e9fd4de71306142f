import type { IssuedKey, KeyDetails } from '../keys/key.dto.js';

/** A new key for people. */
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

const HEAD = ['ID', 'NAME', 'KEY', 'ACCOUNT', 'PLAN', 'SCOPES', 'CREATED', 'EXPIRES', 'REVOKED', 'LAST USED'];

/** Keys for people, in aligned columns. Each page has its own head, and columns as wide as their widest cells. */
export async function* listText(pages: AsyncIterable<readonly KeyDetails[]>): AsyncGenerator<string> {
  let separator = '';
  for await (const keys of pages) {
    yield separator + table([HEAD, ...keys.map(cellsOf)]);
    separator = '\n';
  }
  if (separator === '') yield table([HEAD]);
}

function table(rows: readonly string[][]): string {
  const widths = HEAD.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  const lineOf = (cells: readonly string[]) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return rows.map((cells) => lineOf(cells).trimEnd()).join('\n');
}

/** Keys for programs, on one line, page by page. */
export async function* listJson(pages: AsyncIterable<readonly KeyDetails[]>): AsyncGenerator<string> {
  let separator = '[';
  for await (const keys of pages) {
    yield separator + keys.map((key) => JSON.stringify(key)).join();
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

function cellsOf({ id, name, masked, account, plan, scopes, ...key }: KeyDetails): string[] {
  const { createdAt, expiresAt, revokedAt, lastUsedAt } = key;
  const times = [createdAt, expiresAt, revokedAt, lastUsedAt].map((at) => time(at, '-'));
  return [id, name ?? '-', masked, account, plan, scopes.join(), ...times];
}

/** To the second, to fit a table. */
export function time(at: string | undefined, otherwise = ''): string {
  return at?.replace(/\.[0-9]+Z$/, 'Z') ?? otherwise;
}

/** Makes characters visible that a terminal would interpret. Names of older keys can have them. */
export async function* escaped(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const chunk of chunks) yield chunk.replaceAll(/(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, escapeOf);
}

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
