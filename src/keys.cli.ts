#!/usr/bin/env node
import './check-node.js';
import 'reflect-metadata';
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommanderError } from 'commander';
import { ApiKeysModule, InvalidOperationError } from './accounts/index.js';
import { escaped } from './accounts/cli/keys-output.js';
import { keysProgram } from './accounts/cli/keys-program.js';
import type { Operation } from './accounts/cli/operation.js';
import { actAs, DatabaseModule, databaseUrlOf, isPostgresUrl, sqliteFile } from './database/index.js';
import { databaseParts } from './database-parts.js';
import { Clock, ConfigModule, type Env, loadEnv } from './platform/index.js';
import { addUsageCommand } from './usage-command.js';

/** Running services poll for changes ten times a second; after this wait, in milliseconds, they have seen a change. */
const SETTLE_MS = 300;

const FAILURE = 1;
const INVALID_ARGUMENTS = 2;

const API_KEYS = /psk_(?:live|test)_\w+/g;

/** The modules of the service that a command needs. */
@Module({})
class CommandLine {}

const operation = parse(process.argv.slice(2));
try {
  if (operation !== undefined && (await run(operation, loadEnv()))) await delay(SETTLE_MS);
} catch (error) {
  fail(error, FAILURE);
}

/** Undefined if the arguments are invalid or ask for help. */
function parse(args: readonly string[]): Operation | undefined {
  let chosen: Operation | undefined;
  const choose = (one: Operation) => (chosen = one);
  const program = keysProgram(choose);
  addUsageCommand(program, choose);
  try {
    if (args.length === 0) program.error('error: missing command');
    program.parse(args, { from: 'user' });
  } catch (error) {
    const isHelp = error instanceof CommanderError && error.exitCode === 0;
    if (!isHelp) fail(error, INVALID_ARGUMENTS);
  }
  return chosen;
}

/** A key may have been given instead of its id, and terminals are recorded. */
function fail(error: unknown, exitCode: number): void {
  const message = (error instanceof Error ? error.message : String(error)).replaceAll(API_KEYS, 'psk_…');
  process.stderr.write(`${message}\n`);
  process.exitCode = exitCode;
}

/** @returns whether running services may still have an older state */
async function run({ createsDatabase = false, run: work }: Operation, env: Env): Promise<boolean> {
  checkDatabase(env, createsDatabase);
  const imports = [
    ConfigModule.forRoot(env, new Clock()),
    DatabaseModule.forRoot(env, databaseParts([])),
    ApiKeysModule,
  ];
  const context = await NestFactory.createApplicationContext(
    { module: CommandLine, imports },
    { logger: false, abortOnError: false },
  );
  try {
    const outcome = await actAs(`cli:${systemUser()}`, () => work(context));
    await print(outcome.text);
    return outcome.changed;
  } finally {
    await context.close();
  }
}

/**
 * Refuses a database in memory, which no other process could access, and one that the command would create, as only a
 * mistyped DATABASE_URL makes it do so.
 */
function checkDatabase(env: Env, createsDatabase: boolean): void {
  if (env.DATABASE_URL === 'sqlite::memory:') {
    throw new InvalidOperationError(
      'DATABASE_URL is an in-memory database, which other processes cannot access. Set it to a file.',
    );
  }
  const url = databaseUrlOf(env);
  if (createsDatabase || isPostgresUrl(url) || existsSync(sqliteFile(url))) return;
  throw new InvalidOperationError(
    `There is no database at ${sqliteFile(url)}. Check DATABASE_URL and ENVIRONMENT; the service and "keys create" create new databases.`,
  );
}

/** Before any wait: Ctrl+C must not lose a new key. */
async function print(text: string): Promise<void> {
  await pipeline([`${escaped(text)}\n`], process.stdout, { end: false });
}

/** Containers may run under a user id without a name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
