import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { isPostgres } from '../statements.js';
import { compare, indexRange, takeIndexFilters } from './index-range.js';
import { type KeyColumns, keyColumns, pageCursor, type PageOrder, parseCursor } from './page-key.js';

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Value of `after` for the next page; undefined on the last page. */
  readonly nextAfter: number | string | undefined;
}

export interface PageRequest {
  readonly limit: number;
  readonly after?: string | undefined;
}

/** Cuts a page from rows that SQL of your own has found, sorted by `id`, with a limit that is one more than that of the page. */
export function cutPage<Row extends { readonly id: number | string }>(
  rows: readonly Row[],
  limit: number,
): Page<Row> & { readonly items: Row[] } {
  const items = rows.slice(0, limit);
  return { items, nextAfter: rows.length > limit ? items.at(-1)?.id : undefined };
}

/**
 * Reads a page of what a query finds, sorted by one property of its entity, and by the primary key where that is equal. It
 * skips and counts no rows, so every page takes as long as the first with an index on the columns of the filters, the sorted
 * one and the primary key. Declare it with `@Index()`: PostgreSQL is then kept from other indexes. Text is sorted by bytes.
 * @param query with its filters; joins must not repeat rows
 * @param order one property that is an integer, a text, a uuid or a date, such as `{ rating: 'DESC' }`
 * @throws (rejects) DomainError `validation_failed` if `after` is no cursor of this order
 */
export async function readPage<Entity extends ObjectLiteral>(
  query: SelectQueryBuilder<Entity>,
  order: PageOrder<Entity>,
  { limit, after }: PageRequest,
): Promise<Page<Entity>> {
  const columns = keyColumns(query, order);
  const [direction = 'ASC'] = Object.values<'ASC' | 'DESC' | undefined>(order);
  const start = after === undefined ? undefined : parseCursor(after, columns);
  const entities: Entity[] = [];
  const keys: string[][] = [];
  for (const part of partsOf(query, columns, direction, start !== undefined)) {
    for (const [index, { path, column }] of columns.entries()) {
      part.addOrderBy(column, direction).addSelect(`CAST(${path} AS TEXT)`, `page_key_${index}`);
      if (start !== undefined) part.setParameter(`pageStart${index}`, start[index]);
    }
    // One more row tells whether another page follows.
    const found = await part.limit(limit + 1 - entities.length).getRawAndEntities<Record<string, string>>();
    if (found.entities.length !== found.raw.length)
      throw new TypeError('A page cannot be read by a query whose joins repeat rows.');
    entities.push(...found.entities);
    keys.push(...found.raw.map((row) => columns.map((_, index) => String(row[`page_key_${index}`]))));
    if (entities.length > limit) break;
  }
  const last = entities.length > limit ? keys[limit - 1] : undefined;
  return { items: entities.slice(0, limit), nextAfter: last && pageCursor(last) };
}

function partsOf<Entity extends ObjectLiteral>(
  query: SelectQueryBuilder<Entity>,
  keys: KeyColumns,
  direction: 'ASC' | 'DESC',
  hasStart: boolean,
): SelectQueryBuilder<Entity>[] {
  const copy = query.clone().orderBy();
  if (!isPostgres(query)) return conditionsAfter(keys, direction, hasStart).map((sql) => isolated(copy).andWhere(sql));
  const fixed = takeIndexFilters(copy, keys);
  const free = keys.filter(({ property }) => fixed.every((one) => one.property !== property));
  const part = isolated(copy);
  for (const { column } of fixed) part.addOrderBy(column, direction);
  for (const { sql } of indexRange(fixed, hasStart ? free : [], direction)) part.andWhere(sql);
  return [part];
}

/**
 * Conditions on the rows after a start, in their order: first those with the same value, then those with later ones. As one
 * condition, SQLite would read all rows with the same value on each page.
 */
function conditionsAfter([first, second]: KeyColumns, direction: 'ASC' | 'DESC', hasStart: boolean): string[] {
  if (!hasStart) return ['TRUE'];
  const after = direction === 'ASC' ? '>' : '<';
  const isLater = compare([first], after).sql;
  if (second === undefined) return [isLater];
  return [`${compare([first], '=').sql} AND ${compare([second], after).sql}`, isLater];
}

/** A copy of a query, in which further conditions restrict every alternative of an `orWhere`. */
function isolated<Entity extends ObjectLiteral>(query: SelectQueryBuilder<Entity>): SelectQueryBuilder<Entity> {
  const copy = query.clone();
  const { wheres } = copy.expressionMap;
  if (wheres.length > 0)
    copy.expressionMap.wheres = [{ type: 'simple', condition: { operator: 'brackets', condition: wheres } }];
  return copy;
}
