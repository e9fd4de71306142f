import type { DataSource, TableColumn } from 'typeorm';
import { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';

const TIMESTAMP = 'timestamp with time zone';

/** What types of SQLite are called here. An `integer` has 64 bits there. */
const TYPES: Readonly<Record<string, string>> = { integer: 'bigint', blob: 'bytea', datetime: TIMESTAMP };

/** Milliseconds, as a `Date` has: another time would not be equal to what was stored. */
const PRECISION = { createDatePrecision: 3, updateDatePrecision: 3, deleteDatePrecision: 3 };

/** Gives columns of entities the meaning that they have on SQLite. */
export class PortableDriver extends PostgresDriver {
  constructor(dataSource: DataSource) {
    super(dataSource);
    const dates = { createDate: TIMESTAMP, updateDate: TIMESTAMP, deleteDate: TIMESTAMP } as const;
    this.mappedDataTypes = { ...this.mappedDataTypes, ...dates, ...PRECISION };
  }

  override normalizeType(column: Parameters<PostgresDriver['normalizeType']>[0]): string {
    const type = super.normalizeType(column);
    return TYPES[type] ?? type;
  }

  /** An entity need not repeat what the database has. TypeORM would generate `COLLATE "undefined"`. */
  override findChangedColumns(stored: TableColumn[], declared: ColumnMetadata[]): ColumnMetadata[] {
    for (const { databaseName, collation, precision, scale } of declared) {
      const column = stored.find(({ name }) => name === databaseName) ?? {};
      if (collation === undefined) Object.assign(column, { collation });
      if (precision === undefined) Object.assign(column, { precision, scale });
    }
    return super.findChangedColumns(stored, declared);
  }
}
