import { DataSource, type DataSourceOptions, MigrationExecutor } from 'typeorm';
import { lockUntilCommit } from './lock-until-commit.js';

/**
 * A data source on PostgreSQL, not open yet. `integer` columns of entities have 64 bits there, as they have in SQLite.
 */
export function postgresDataSource(options: DataSourceOptions): DataSource {
  const dataSource = new DataSource(options);
  const { driver } = dataSource;
  const normalizeType = driver.normalizeType.bind(driver);
  driver.normalizeType = (column) => {
    const type = normalizeType(column);
    return type === 'integer' ? 'bigint' : type;
  };
  return dataSource;
}

/** Brings the schema up to date, in one transaction; of several processes that do so at the same time, one does it. */
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

/** @throws Error where there are characters that the database can't hold */
async function checkEncoding(dataSource: DataSource): Promise<void> {
  const [row] = await dataSource.query<{ encoding: string }[]>('SELECT current_setting(\'server_encoding\') AS "encoding"');
  if (row?.encoding !== 'UTF8') throw new Error(`The database must have the encoding UTF8, and has ${row?.encoding}.`);
}
