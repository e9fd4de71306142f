import { type QueryRunner, type Table, type TableColumn, TableForeignKey, TypeORMError } from 'typeorm';
import { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import { BetterSqlite3QueryRunner } from 'typeorm/driver/better-sqlite3/BetterSqlite3QueryRunner.js';
import { Query } from 'typeorm/driver/Query.js';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';

/** How a STRICT table keeps what has another type in an entity. */
const STORED: Readonly<Record<string, string>> = {
  bigint: 'integer',
  boolean: 'integer',
  datetime: 'text',
  decimal: 'text',
  varchar: 'text',
};

/** For the typeorm command line: compares entities with the tables of migrations, which are STRICT, and writes such ones. */
export class StrictDriver extends BetterSqlite3Driver {
  override normalizeType(column: Parameters<BetterSqlite3Driver['normalizeType']>[0]): string {
    const type = super.normalizeType(column);
    return STORED[type] ?? type;
  }

  override findChangedColumns(stored: TableColumn[], declared: ColumnMetadata[]): ColumnMetadata[] {
    for (const { databaseName, precision, scale, length } of declared)
      Object.assign(stored.find(({ name }) => name === databaseName) ?? {}, { precision, scale, length });
    return super.findChangedColumns(stored, declared);
  }

  /** A text has neither a length nor a scale. */
  override createFullType(column: TableColumn): string {
    return column.type === 'text' ? column.type : super.createFullType(column);
  }

  override createQueryRunner(): QueryRunner {
    return new StrictQueryRunner(this);
  }
}

/** Writes the statements of a migration differently, and runs those of others as they are. */
class StrictQueryRunner extends BetterSqlite3QueryRunner {
  /** TypeORM adds foreign keys afterwards, for which it copies the table. */
  override async createTable(table: Table, ifNotExists?: boolean, _?: boolean, createIndices?: boolean): Promise<void> {
    const { entityMetadatas, driver } = this.dataSource;
    const declared = entityMetadatas.find(
      ({ tablePath, tableType }) => tablePath === table.name && tableType !== 'entity-child',
    );
    for (const key of declared?.foreignKeys ?? []) table.addForeignKey(TableForeignKey.create(key, driver));
    await super.createTable(table, ifNotExists, true, createIndices);
  }

  /** One that others refer to cannot be replaced in a transaction without deleting their rows. */
  protected override async recreateTable(...of: Parameters<BetterSqlite3QueryRunner['recreateTable']>): Promise<void> {
    if (!this.sqlMemoryMode) return super.recreateTable(...of);
    const [{ name, columns }, before] = of;
    const added = columns.find((column) => before.findColumnByName(column.name) === undefined);
    const { isNullable } = added ?? { isNullable: false };
    const rule = isNullable ? '' : ` NOT NULL DEFAULT ''`;
    const example = `ALTER TABLE "${name}" ADD COLUMN "${added?.name ?? 'note'}" TEXT${rule}`;
    const recipe = `Write the migration by hand, with the types of columnTypes(), such as: ${example}`;
    throw new TypeORMError(`On SQLite, this change of ${name} would copy the whole table. ${recipe}`);
  }

  protected override createTableSql(...of: Parameters<BetterSqlite3QueryRunner['createTableSql']>): Query {
    const sql = super.createTableSql(...of);
    return this.sqlMemoryMode ? new Query(`${sql.query} STRICT`, sql.parameters) : sql;
  }
}
