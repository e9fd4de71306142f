import type { EntityManager } from 'typeorm';
import type { Key } from './table-entry.js';

/** How entries of a table in memory are written down, one row each. */
export interface RowFormat<Entry> {
  readonly table: string;
  /** The first is the primary key. */
  readonly columns: readonly [string, ...string[]];
  /** Primary key of the row. */
  readonly key: (key: Key) => string;
  /** The other columns, in their order. */
  readonly values: (entry: Entry) => readonly (number | string)[];
}

/** Inserts the rows of these entries or brings them up to date, in one statement. */
export async function writeRows<Entry extends { readonly key: Key }>(
  manager: EntityManager,
  format: RowFormat<Entry>,
  entries: readonly Entry[],
): Promise<void> {
  const parameters = new Parameters(manager);
  const rows = entries.map((entry) => parameters.list([format.key(entry.key), ...format.values(entry)]));
  const [key, ...others] = format.columns;
  const assignments = others.map((column) => `"${column}" = excluded."${column}"`);
  await manager.query(
    `INSERT INTO "${format.table}" ("${format.columns.join('", "')}") VALUES ${rows.join(', ')}
     ON CONFLICT ("${key}") DO UPDATE SET ${assignments.join(', ')}`,
    parameters.values,
  );
}

/** Deletes the rows with these primary keys, in one statement. */
export async function deleteRows(
  manager: EntityManager,
  { table, columns: [key] }: Pick<RowFormat<never>, 'table' | 'columns'>,
  keys: readonly string[],
): Promise<void> {
  const parameters = new Parameters(manager);
  await manager.query(`DELETE FROM "${table}" WHERE "${key}" IN ${parameters.list(keys)}`, parameters.values);
}

/** Collects the values of a statement and names their places as the database at hand wants it. */
class Parameters {
  readonly values: (number | string)[] = [];

  constructor(private readonly manager: EntityManager) {}

  list(values: readonly (number | string)[]): string {
    const places = values.map((value) => {
      const index = this.values.push(value) - 1;
      return this.manager.dataSource.driver.createParameter(String(index), index);
    });
    return `(${places.join(',')})`;
  }
}
