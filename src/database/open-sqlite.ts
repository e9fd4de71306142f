import { DataSource, type DataSourceOptions } from 'typeorm';

/** Of each connection. SQLite's own would be 16 MiB, and what is asked for often is kept as answers anyway. */
const PAGE_CACHE_KIB = 4_096;

/** Opens the writer and brings the schema up to date; several processes may do so at the same time. */
export async function openWriter(options: DataSourceOptions): Promise<DataSource> {
  const dataSource = await new DataSource(options).initialize();
  await dataSource.query('BEGIN IMMEDIATE');
  try {
    await dataSource.runMigrations({ transaction: 'none' });
    await dataSource.query('COMMIT');
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
  return readyToServe(dataSource);
}

/** Opens the reader; the database must be there. */
export async function openReader(options: DataSourceOptions): Promise<DataSource> {
  return readyToServe(await new DataSource(options).initialize());
}

async function readyToServe(dataSource: DataSource): Promise<DataSource> {
  // SQLite waits for locks inside the statement, where it would hold up every other request.
  await dataSource.query('PRAGMA busy_timeout = 0');
  await dataSource.query(`PRAGMA cache_size = -${PAGE_CACHE_KIB}`);
  return dataSource;
}
