import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { Page, PageRequest } from './page.js';
import { pageCursor, parseCursor, type SortKey } from './page-cursor.js';
import { type Segment, segmentsAfter, startParameter } from './page-segments.js';
import { type PageOrder, type Sorting, sortingOf } from './sort-columns.js';

/** A row with the values that it is sorted by. */
interface SortedRow<Entity> {
  readonly entity: Entity;
  readonly key: SortKey;
}

/**
 * Reads a page of what a query finds, sorted by properties of its entity, and by the primary key where these are equal. It
 * skips and counts no rows, so with an index on these columns, the primary key last, every page takes as long as the first.
 * Text is sorted by bytes. Rows without a value come last.
 *
 * @param query with its filters; joins must not repeat rows
 * @param order such as `{ rating: 'DESC' }`; only an order of one property can be of one that is nullable
 * @param request such as a `PageQuery`
 * @throws (rejects) DomainError `validation_failed` if `after` is no cursor of this order
 */
export async function readPage<Entity extends ObjectLiteral>(
  query: SelectQueryBuilder<Entity>,
  order: PageOrder<Entity>,
  { limit, after }: PageRequest,
): Promise<Page<Entity>> {
  const sorting = sortingOf(query, order);
  const start = after === undefined ? undefined : parseCursor(after, sorting.columns);
  const rows: SortedRow<Entity>[] = [];
  for (const segment of segmentsAfter(sorting, start)) {
    // One more row tells whether another page follows.
    const missing = limit + 1 - rows.length;
    if (missing > 0) rows.push(...(await readSegment(query, sorting, start, segment, missing)));
  }
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    items: rows.slice(0, limit).map(({ entity }) => entity),
    nextAfter: last === undefined ? undefined : pageCursor(last.key),
  };
}

const keyName = (index: number) => `page_key_${index}`;

async function readSegment<Entity extends ObjectLiteral>(
  query: SelectQueryBuilder<Entity>,
  { columns, direction }: Sorting,
  start: SortKey | undefined,
  segment: Segment,
  limit: number,
): Promise<SortedRow<Entity>[]> {
  const part = isolated(query).orderBy().limit(limit);
  for (const condition of segment.conditions) part.andWhere(condition);
  for (const { key, path } of segment.columns) part.addOrderBy(key(path), direction);
  for (const [index, { path, text, parse }] of columns.entries()) {
    part.addSelect(text(path), keyName(index));
    const value = start?.[index] ?? undefined;
    if (value !== undefined) part.setParameter(startParameter(index), parse(value));
  }
  const { entities, raw } = await part.getRawAndEntities<Record<string, unknown>>();
  if (entities.length !== raw.length) throw new TypeError('A page cannot be read by a query whose joins repeat rows.');
  return entities.map((entity, at) => ({
    entity,
    key: columns.map((_, index) => textOf(raw[at]?.[keyName(index)])),
  }));
}

function textOf(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}

/** A copy of a query, in which further conditions restrict every alternative of an `orWhere`. */
function isolated<Entity extends ObjectLiteral>(query: SelectQueryBuilder<Entity>): SelectQueryBuilder<Entity> {
  const copy = query.clone();
  const { wheres } = copy.expressionMap;
  if (wheres.length > 0)
    copy.expressionMap.wheres = [{ type: 'simple', condition: { operator: 'brackets', condition: wheres } }];
  return copy;
}
