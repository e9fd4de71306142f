import type { EntityManager } from 'typeorm';

export type Parameter = string | number | null;

/** PostgreSQL numbers its parameters; few different texts exist, and most are sent again and again. */
const numbered = new Map<string, string>();
const MOST_KEPT = 500;

/**
 * Sends a statement of SQL that both databases understand, and fulfils with the rows that it gives.
 * @param sql with a `?` for each parameter, and none elsewhere
 */
export async function query<Row>(manager: EntityManager, sql: string, parameters: readonly Parameter[] = []): Promise<Row[]> {
  if (manager.dataSource.options.type !== 'postgres') return manager.query(sql, [...parameters]);
  const answer: unknown = await manager.query(numberedText(sql), [...parameters]);
  // Of an UPDATE or a DELETE the driver for PostgreSQL gives the rows together with their number.
  return isCounted<Row>(answer) ? answer[0] : (answer as Row[]);
}

function numberedText(sql: string): string {
  let text = numbered.get(sql);
  if (text === undefined) {
    let count = 0;
    text = sql.replaceAll('?', () => `$${++count}`);
    if (numbered.size < MOST_KEPT) numbered.set(sql, text);
  }
  return text;
}

function isCounted<Row>(answer: unknown): answer is [Row[], number] {
  return Array.isArray(answer) && answer.length === 2 && Array.isArray(answer[0]) && typeof answer[1] === 'number';
}
