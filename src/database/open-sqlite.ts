import { DataSource, type DataSourceOptions } from 'typeorm';

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
  return withoutWaiting(dataSource);
}

/** Opens the reader; the database must be there. */
export async function openReader(options: DataSourceOptions): Promise<DataSource> {
  return withoutWaiting(await new DataSource(options).initialize());
}

/** SQLite waits for locks inside the statement, where it would hold up every other request. */
async function withoutWaiting(dataSource: DataSource): Promise<DataSource> {
  await dataSource.query('PRAGMA busy_timeout = 0');
  return dataSource;
}
