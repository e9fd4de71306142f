#!/usr/bin/env node
import './check-node.js';
import 'reflect-metadata';
import { databaseUrlOf, isPostgresUrl } from './database/database-options.js';
import { explained } from './database/unavailable.js';
import { backUp, sqliteFile } from './database/sqlite/sqlite-file.js';
import { loadEnv } from './platform/config/load-env.js';

const [target, ...others] = process.argv.slice(2);
if (target === undefined || target.startsWith('-') || others.length > 0) {
  process.stderr.write('Name the file of the backup, and nothing else.\n');
  process.exit(2);
}
try {
  const url = databaseUrlOf(loadEnv());
  if (isPostgresUrl(url)) throw new Error('This is for SQLite. Use pg_dump for PostgreSQL.');
  backUp(sqliteFile(url), target);
  process.stdout.write(`${target} is complete and intact.\n`);
} catch (error) {
  process.stderr.write(`${explained(error)}\n`);
  process.exitCode = 1;
}
