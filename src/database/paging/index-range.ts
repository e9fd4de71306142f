import type { SqlParameter } from '../statements.js';

/** A column, the SQL of a value of it, and the parameter of that SQL, if it is a `?`. */
export interface ColumnValue {
  readonly column: string;
  readonly value: string;
  readonly parameter?: SqlParameter;
}

/** SQL with the parameters of its `?`. */
export interface Condition {
  readonly sql: string;
  readonly parameters: readonly SqlParameter[];
}

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
  // A scan ends where the first column of a range does, so of several columns the first one is not in the range. A list of one
  // value would be the same as `=`.
  const [listed, ranged] = fixed.length === 1 ? [[], fixed] : [fixed.slice(0, 1), fixed.slice(1)];
  const isListed = listed.map((one) => compare([one], 'IN', [one, one]));
  // Where `>` excludes the highest value of the first column, PostgreSQL expects no rows, of other indexes too.
  const isOther = start.length === 0 ? [] : [compare(start, '<>')];
  return [...isListed, compare([...ranged, ...start], from), compare(ranged, until), ...isOther];
}
