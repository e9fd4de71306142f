#!/usr/bin/env node
import 'reflect-metadata';
import { userInfo } from 'node:os';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Clock, ConfigModule, type Env, loadEnv } from '../config/index.js';
import { DatabaseModule } from '../database/index.js';
import { ACCOUNT_ENTITIES } from '../accounts/index.js';
import { AdminKeysService, API_KEY_ENTITIES, ApiKeysModule } from '../api-keys/index.js';
import { COUNTER_ENTITIES } from '../rate-limit/index.js';
import { showUsage } from './account-usage.js';
import { checkDatabaseExists, checkDatabaseIsShared, inContext } from './command-line-context.js';
import { type KeysOperation, parseKeysArguments, UsageError } from './keys-arguments.js';
import { type Outcome, runCommand } from './keys-commands.js';
import { KEYS_HELP } from './keys-help.js';

/** Running services poll for changes ten times a second; after this wait, in milliseconds, they have seen a change. */
const SETTLE_MS = 300;

const API_KEYS = /psk_(?:live|test)_\w+/g;

try {
  const command = parseKeysArguments(process.argv.slice(2));
  if (command.name === 'help') process.stdout.write(KEYS_HELP);
  else if (await run(command, loadEnv())) await delay(SETTLE_MS);
} catch (error) {
  // A key may have been given instead of its id, and terminals are recorded.
  const message = (error instanceof Error ? error.message : String(error)).replaceAll(API_KEYS, 'psk_…');
  process.stderr.write(error instanceof UsageError ? `${message}\n\n${KEYS_HELP}` : `${message}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}

/** @returns whether running services may still have an older state */
async function run(command: KeysOperation, env: Env): Promise<boolean> {
  if (command.name === 'create') checkDatabaseIsShared(env.DATABASE_URL);
  else checkDatabaseExists(env);
  const imports = [
    ConfigModule.of(env, new Clock()),
    DatabaseModule.of(env, { entities: [...ACCOUNT_ENTITIES, ...API_KEY_ENTITIES, ...COUNTER_ENTITIES] }),
    ApiKeysModule,
  ];
  return inContext(imports, async (context) => {
    const outcome =
      command.name === 'usage'
        ? await showUsage(context, env, command)
        : await runCommand(command, context.get(AdminKeysService), `cli:${systemUser()}`);
    await print(outcome);
    return outcome.changed;
  });
}

/** Before any wait: Ctrl+C must not lose a new key. */
async function print({ text, warning }: Outcome): Promise<void> {
  await pipeline(Readable.from(text), escaped, process.stdout, { end: false });
  process.stdout.write('\n');
  if (warning !== undefined) process.stderr.write(`${warning}\n`);
}

/** Makes characters visible that a terminal would interpret. Names of older keys can have them. */
async function* escaped(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const chunk of chunks) yield chunk.replaceAll(/(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, escapeOf);
}

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Containers may run under a user id without a name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
