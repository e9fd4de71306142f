import 'reflect-metadata';
import { userInfo } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Clock, ConfigModule, type Env, loadEnv } from '../config/index.js';
import { DatabaseModule } from '../database/index.js';
import { ACCOUNT_ENTITIES, AuthModule, KeysService } from './index.js';
import { type KeysOperation, parseKeysArguments, UsageError } from './keys-arguments.js';
import { type Outcome, runCommand } from './keys-commands.js';
import { KeysError } from './keys-error.js';
import { KEYS_HELP } from './keys-help.js';

/** Running services look for changes ten times a second; after this wait, in milliseconds, a change holds there too. */
const SETTLE_MS = 300;

@Module({})
class KeysCommandLine {}

try {
  const command = parseKeysArguments(process.argv.slice(2));
  if (command.name === 'help') process.stdout.write(KEYS_HELP);
  else await settle(await run(command, loadEnv()));
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(error instanceof UsageError ? `${message}\n\n${KEYS_HELP}` : `${message}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}

async function run(command: KeysOperation, env: Env): Promise<Outcome> {
  if (env.DATABASE_URL === 'sqlite::memory:') {
    throw new KeysError('DATABASE_URL names a database in memory, which no other process can see. Name a file.');
  }
  const imports = [ConfigModule.of(env, new Clock()), DatabaseModule.of(env, { entities: ACCOUNT_ENTITIES }), AuthModule];
  const context = await NestFactory.createApplicationContext(
    { module: KeysCommandLine, imports },
    { logger: false, abortOnError: false },
  );
  try {
    return await runCommand(command, context.get(KeysService), `cli:${systemUser()}`);
  } finally {
    await context.close();
  }
}

async function settle({ text, warning, changed }: Outcome): Promise<void> {
  // Shown before the wait: a new key must not be lost to an impatient Ctrl-C.
  process.stdout.write(`${text}\n`);
  if (warning !== undefined) process.stderr.write(`${warning}\n`);
  if (changed) await delay(SETTLE_MS);
}

/** Containers may run under a number that has no name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
