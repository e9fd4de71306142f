import { databaseParts } from '../database-parts.js';
import { databaseUrlOf, isPostgresUrl } from '../database/database-options.js';
import { moveToPostgres } from '../database/move-to-postgres.js';
import { lockDatabaseFile, sharedFile } from '../database/sqlite/sqlite-file.js';
import { explained } from '../database/unavailable.js';
import { loadEnv } from '../platform/config/load-env.js';
import type { ProgramIo } from './program.js';

/** Runs a command line of `move`, which copies the SQLite database to PostgreSQL. @returns the exit code */
export async function runMove([target = '', ...others]: readonly string[], io: ProgramIo): Promise<number> {
  if (!isPostgresUrl(target) || others.length > 0) {
    io.stderr.write(
      'Pass the URL of the target as the only argument, such as postgres://user:password@host/petstore.\n',
    );
    return 2;
  }
  try {
    const source = databaseUrlOf(loadEnv(io.env));
    if (isPostgresUrl(source)) throw new Error('DATABASE_URL names PostgreSQL. This command moves an SQLite database.');
    const file = sharedFile(source);
    const env = loadEnv({ ...io.env, DATABASE_URL: target, DATABASE_URL_FILE: undefined });
    // No service may write meanwhile, or start before this is done.
    lockDatabaseFile(file);
    const moved = await moveToPostgres(file, env, databaseParts([]));
    for (const { table, rows } of moved) io.stdout.write(`${table}: ${rows}\n`);
    io.stdout.write(`All rows are in the new database. Set DATABASE_URL to it. ${file} is unchanged.\n`);
    return 0;
  } catch (error) {
    io.stderr.write(`${explained(error)}\n`);
    return 1;
  }
}
