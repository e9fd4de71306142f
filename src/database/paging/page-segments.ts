import type { SortKey } from './page-cursor.js';
import type { SortColumn, Sorting } from './sort-columns.js';

/** A part of a list that a statement reads from an index: rows that meet conditions, sorted by columns. */
export interface Segment {
  readonly conditions: readonly string[];
  readonly columns: readonly SortColumn[];
}

export const startParameter = (index: number) => `pageStart${index}`;

/**
 * The parts of a list that follow a start, in their order: rows with the same values, those with later values, those without
 * a value. As one condition, SQLite would read all rows with the same values on each page, and databases disagree where NULL
 * belongs.
 */
export function segmentsAfter({ columns, direction }: Sorting, start: SortKey | undefined): Segment[] {
  const values = columns.slice(0, -1);
  const primary = columns.slice(-1);
  const comparison = direction === 'ASC' ? '>' : '<';
  const compare = (compared: readonly SortColumn[], operator: string) => {
    const keys = compared.map(({ key, path }) => key(path));
    const parameters = compared.map((column) => column.value(`:${startParameter(columns.indexOf(column))}`));
    return `(${keys.join(', ')}) ${operator} (${parameters.join(', ')})`;
  };
  const isNull = values.filter(({ isNullable }) => isNullable).map(({ path }) => `${path} IS NULL`);
  const withoutValue = isNull.map((condition) => ({ conditions: [condition], columns: primary }));
  const isIdAfter = compare(primary, comparison);
  if (start === undefined) {
    const hasValue = isNull.map((condition) => `NOT (${condition})`);
    return [{ conditions: hasValue, columns }, ...withoutValue];
  }
  if (start[0] === null) return [{ conditions: [...isNull, isIdAfter], columns: primary }];
  if (values.length === 0) return [{ conditions: [isIdAfter], columns }];
  return [
    { conditions: [compare(values, '='), isIdAfter], columns: primary },
    { conditions: [compare(values, comparison)], columns },
    ...withoutValue,
  ];
}
