import { DataSource, type DataSourceOptions, MigrationExecutor } from 'typeorm';
import { lockUntilCommit } from '../statements.js';

/** A data source on PostgreSQL, not open yet, for migrations and the command line. */
export function postgresDataSource(options: DataSourceOptions): DataSource {
  const dataSource = new DataSource(options);
  use64BitIntegers(dataSource);
  return dataSource;
}

/** Gives `integer` columns of entities 64 bits, as in SQLite. */
export function use64BitIntegers({ driver }: DataSource): void {
  const normalizeType = driver.normalizeType.bind(driver);
  driver.normalizeType = (column) => {
    const type = normalizeType(column);
    return type === 'integer' ? 'bigint' : type;
  };
}

/** Runs pending migrations in one transaction; of several processes that start together, one does it. */
export async function migratePostgres(options: DataSourceOptions): Promise<void> {
  const dataSource = await postgresDataSource(options).initialize();
  try {
    await checkEncoding(dataSource);
    const runner = dataSource.createQueryRunner();
    await runner.startTransaction();
    await lockUntilCommit(runner.manager, 'migrations');
    const executor = new MigrationExecutor(dataSource, runner);
    executor.transaction = 'none';
    await executor.executePendingMigrations();
    await runner.commitTransaction();
    await runner.release();
  } finally {
    await dataSource.destroy();
  }
}

/** @throws Error if the database cannot store all Unicode characters */
async function checkEncoding(dataSource: DataSource): Promise<void> {
  const [row] = await dataSource.query<{ encoding: string }[]>(
    'SELECT current_setting(\'server_encoding\') AS "encoding"',
  );
  if (row?.encoding !== 'UTF8') throw new Error(`The database must have the encoding UTF8, but has ${row?.encoding}.`);
}
