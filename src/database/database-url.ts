/** Where the data lies when DATABASE_URL is not set. */
export const EMBEDDED_DATABASE_URL = 'sqlite:data/petstore.sqlite';

/** Whether a DATABASE_URL names a PostgreSQL server; the others name SQLite files. */
export function isPostgres(databaseUrl: string): boolean {
  return /^postgres(ql)?:/.test(databaseUrl);
}
