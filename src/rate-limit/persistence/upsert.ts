import type { EntityManager, ObjectLiteral } from 'typeorm';

/** Inserts or updates rows, like `EntityManager.upsert`, which takes three times as long. */
export async function upsert<Row extends ObjectLiteral>(
  manager: EntityManager,
  entity: new () => Row,
  rows: readonly Row[],
): Promise<void> {
  const { driver } = manager.dataSource;
  const { tableName, columns, primaryColumns } = manager.dataSource.getMetadata(entity);
  const values: unknown[] = [];
  const place = (value: unknown) => {
    const index = values.push(value) - 1;
    return driver.createParameter(String(index), index);
  };
  const tuples = rows.map((row) => `(${columns.map(({ propertyName }) => place(row[propertyName])).join()})`);
  const quoted = columns.map(({ databaseName }) => `"${databaseName}"`);
  await manager.query(
    `INSERT INTO "${tableName}" (${quoted.join()}) VALUES ${tuples.join()}
     ON CONFLICT (${primaryColumns.map(({ databaseName }) => `"${databaseName}"`).join()})
     DO UPDATE SET ${quoted.map((column) => `${column} = excluded.${column}`).join()}`,
    values,
  );
}
