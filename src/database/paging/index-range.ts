import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { WhereClauseCondition } from 'typeorm/query-builder/WhereClause.js';
import type { SqlParameter } from '../statements.js';
import type { ColumnValue, KeyColumns } from './page-key.js';

export type Condition = { readonly sql: string; readonly parameters: readonly SqlParameter[] };

/** Compares columns with their values, the first ones first, or one column with several. */
export function compare(columns: readonly ColumnValue[], operator: string, values = columns): Condition {
  const names = columns.map(({ column }) => column).join(', ');
  const parameters = values.flatMap(({ parameter }) => parameter ?? []);
  return { sql: `(${names}) ${operator} (${values.map(({ value }) => value).join(', ')})`, parameters };
}

/**
 * Conditions on the rows that have fixed values in the first columns of an index, and come after a start in the next ones.
 * Sort by all of these columns. For PostgreSQL: a column that is equal to a value does not matter to the order, so it may
 * walk another index, in the hope that such rows come soon. Only this index gives the order of ranges and of IN.
 */
export function indexRange(
  fixed: readonly ColumnValue[],
  start: readonly ColumnValue[],
  direction: 'ASC' | 'DESC',
): Condition[] {
  const [after, from, until] = direction === 'ASC' ? ['>', '>=', '<='] : ['<', '<=', '>='];
  if (fixed.length === 0) return start.length === 0 ? [] : [compare(start, after)];
  // A scan ends where the first column of a range does, so of several the first is not in it. A list of one would be an `=`.
  const [listed, ranged] = fixed.length === 1 ? [[], fixed] : [fixed.slice(0, 1), fixed.slice(1)];
  const isListed = listed.map((one) => compare([one], 'IN', [one, one]));
  // Where `>` excludes the highest value of the first column, PostgreSQL expects no rows, of other indexes too.
  const isOther = start.length === 0 ? [] : [compare(start, '<>')];
  return [...isListed, compare([...ranged, ...start], from), compare(ranged, until), ...isOther];
}

type Equality = ColumnValue & { readonly property: string; readonly condition: WhereClauseCondition };

/**
 * Takes the filters out of a query that fix the first columns of an index whose next ones are those of the order, if there is
 * one. Knows filters such as `where({ accountId })` and `where('order.accountId = :accountId', { accountId })`.
 */
export function takeIndexFilters<Entity extends ObjectLiteral>(
  { expressionMap, alias }: SelectQueryBuilder<Entity>,
  order: KeyColumns,
): readonly Equality[] {
  const conditions = conjuncts(expressionMap.wheres);
  // TypeORM does not bracket conditions in text, so what looks like one of all may be a part of an alternative.
  const isUnclear = conditions.some((condition) => typeof condition === 'string' && /\bor\b/i.test(condition));
  // Ordered by the column that joins them, PostgreSQL may walk the index of the other table from its first row.
  if (isUnclear || expressionMap.joinAttributes.length > 0) return [];
  const properties = order.map(({ property }) => property);
  const primary = properties.at(-1);
  const equalities = new Map<string, Equality>();
  for (const condition of conditions) {
    const [column = '', value = ''] = equalityOf(condition);
    const property = column.slice(alias.length + 1);
    if (column === `${alias}.${property}` && property !== primary)
      equalities.set(property, { property, column, value, condition });
  }
  let fixed: readonly Equality[] = [];
  for (const index of expressionMap.mainAlias?.metadata.indices ?? []) {
    const columns = index.columns.map(({ propertyPath }) => propertyPath);
    const end = columns.findIndex((property) => !equalities.has(property));
    const first = columns.slice(0, end).flatMap((property) => equalities.get(property) ?? []);
    const next = properties.filter((property) => !columns.slice(0, end).includes(property));
    const isSorted = next.every((property, place) => columns[end + place] === property);
    if (index.where === undefined && isSorted && first.length > fixed.length) fixed = first;
  }
  const rest = conditions.filter((condition) => fixed.every((one) => one.condition !== condition));
  if (fixed.length > 0)
    expressionMap.wheres = rest.map((condition) => ({ type: 'and', condition: { operator: 'brackets', condition } }));
  return fixed;
}

/** The conditions that all have to hold. */
function conjuncts(condition: WhereClauseCondition): WhereClauseCondition[] {
  if (!Array.isArray(condition) || condition.some(({ type }) => type === 'or')) return [condition];
  return condition.flatMap((clause) => conjuncts(clause.condition));
}

function equalityOf(condition: WhereClauseCondition): readonly string[] {
  if (typeof condition === 'string') return /^([\w.]+) = (:\w+)$/.exec(condition)?.slice(1) ?? [];
  return 'operator' in condition && condition.operator === 'equal' ? condition.parameters : [];
}
