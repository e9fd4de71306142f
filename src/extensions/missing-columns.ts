import type { INestApplicationContext } from '@nestjs/common';
import { getRepositoryToken } from '@nestjs/typeorm';
import type { EntityMetadata } from 'typeorm';
import { Database } from '../database/database.js';
import type { DatabaseParts } from '../database/database-options.js';
import { isPostgres, query } from '../database/statements.js';
import { providersOf } from './nest-metadata.js';

/** The columns of the tables in a JSON array, each found where a statement would find it. */
const COLUMNS = {
  postgres:
    'SELECT "name" AS "table", "attname" AS "column" FROM json_array_elements_text(CAST(? AS json)) AS "name" ' +
    `JOIN "pg_attribute" ON "attrelid" = to_regclass(format('%I', "name")) WHERE "attnum" > 0 AND NOT "attisdropped"`,
  sqlite:
    'SELECT "names"."value" AS "table", "columns"."name" AS "column" ' +
    'FROM json_each(?) AS "names" JOIN pragma_table_xinfo("names"."value") AS "columns"',
};

const ADVICE = 'Add a migration for it, such as migration:generate writes.';

/**
 * What the entities of an application declare and no migration made, so that requests would fail. Tables of other schemas are
 * not looked at.
 */
export async function missingColumns(
  app: INestApplicationContext,
  extensions: readonly Partial<DatabaseParts>[],
): Promise<string[]> {
  const declared = new Set<unknown>(extensions.flatMap(({ entities = [] }) => entities));
  const { entityMetadatas, manager } = app.get(Database);
  // The data source has those of other applications of the process too.
  const providers = providersOf(app);
  const own = entityMetadatas.filter(
    ({ target }) => declared.has(target) || providers.has(getRepositoryToken(target as Function)),
  );
  const entities = [...new Set(own.flatMap((entity) => [entity, ...joinTablesOf(entity)]))].filter(
    ({ tableType, tablePath }) => tableType !== 'view' && !tablePath.includes('.'),
  );
  const rows = await query<{ table: string; column: string }>(
    manager,
    isPostgres(manager) ? COLUMNS.postgres : COLUMNS.sqlite,
    [JSON.stringify(entities.map(({ tablePath }) => tablePath))],
  );
  const tables = Map.groupBy(rows, ({ table }) => table);
  return entities.flatMap(({ name, tablePath, columns }) => {
    const found = tables.get(tablePath)?.map(({ column }) => column);
    if (found === undefined) return [`${name}: the database has no table "${tablePath}". ${ADVICE}`];
    return columns
      .filter(({ isVirtualProperty, databaseName }) => !isVirtualProperty && !found.includes(databaseName))
      .map(
        (column) => `${name}.${column.propertyName}: "${tablePath}" has no column "${column.databaseName}". ${ADVICE}`,
      );
  });
}

/** What `@JoinTable()` and closure tables of trees declare. */
function joinTablesOf({ manyToManyRelations, closureJunctionTable }: EntityMetadata): EntityMetadata[] {
  const joined = manyToManyRelations.map(({ junctionEntityMetadata }) => junctionEntityMetadata);
  return [...joined, closureJunctionTable].filter((table) => table !== undefined);
}
