import { databaseUrlOf, isPostgresUrl } from '../database/database-options.js';
import { explained } from '../database/unavailable.js';
import { backUp, sharedFile } from '../database/sqlite/sqlite-file.js';
import { loadEnv } from '../platform/config/load-env.js';
import type { ProgramIo } from './program.js';

/** Runs a command line of `backup`. @returns the exit code */
export function runBackup([target, ...others]: readonly string[], { env, stdout, stderr }: ProgramIo): number {
  if (target === undefined || target === '' || target.startsWith('-') || others.length > 0) {
    stderr.write('Pass the path of the backup file as the only argument.\n');
    return 2;
  }
  try {
    const url = databaseUrlOf(loadEnv(env));
    if (isPostgresUrl(url)) throw new Error('This command backs up SQLite databases. Use pg_dump for PostgreSQL.');
    backUp(sharedFile(url), target);
    stdout.write(`${target} is complete and intact.\n`);
    return 0;
  } catch (error) {
    stderr.write(`${explained(error)}\n`);
    return 1;
  }
}
