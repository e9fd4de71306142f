#!/usr/bin/env node
import 'reflect-metadata';
import { Clock, ConfigModule, loadEnv } from '../config/index.js';
import { Database, DatabaseModule } from '../database/index.js';
import { recountPets } from '../categories/index.js';
import { checkDatabaseExists, inContext } from './command-line-context.js';

/** In milliseconds. Unlike a request, it reads all pets. */
const STATEMENT_TIMEOUT_MS = 3_600_000;

if (process.argv.length > 2) {
  process.stderr.write('Usage: npm run --silent recount\n\nIt accepts no arguments.\n');
  process.exit(2);
}

try {
  const corrected = await recount();
  process.stdout.write(`Corrected categories: ${corrected}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function recount(): Promise<number> {
  const env = { ...loadEnv(), DATABASE_STATEMENT_TIMEOUT_MS: STATEMENT_TIMEOUT_MS };
  checkDatabaseExists(env);
  const imports = [ConfigModule.of(env, new Clock()), DatabaseModule.of(env, { entities: [] })];
  return inContext(imports, (context) => context.get(Database).write(recountPets));
}
