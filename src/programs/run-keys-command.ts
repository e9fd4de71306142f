import 'reflect-metadata';
import { createInterface } from 'node:readline/promises';
import type { INestApplicationContext } from '@nestjs/common';
import { ACCOUNT_TABLES } from '../account-tables.js';
import { AccountsService } from '../accounts/accounts.service.js';
import type { KeysCommand, KeysServices } from '../accounts/cli/keys-command.js';
import { KeysService } from '../accounts/keys/keys.service.js';
import { Clock } from '../platform/config/clock.js';
import { UsageHistory } from '../rate-limit/history/usage-history.js';
import { onDatabase } from './on-database.js';
import { print, type ProgramIo } from './program.js';

export function runKeysCommand(command: KeysCommand, io: ProgramIo): Promise<boolean> {
  return onDatabase(io, command, async (context) => {
    const { text, changed } = await command.run({ ...servicesOf(context), readLine: () => readLine(io) });
    // Before any wait: Ctrl+C must not lose a new key.
    await print(text, io);
    return changed;
  });
}

export function servicesOf(context: INestApplicationContext): Omit<KeysServices, 'readLine'> {
  return {
    keys: context.get(KeysService),
    accounts: context.get(AccountsService),
    history: context.get(UsageHistory),
    nowMs: context.get(Clock).nowMs(),
    tables: ACCOUNT_TABLES,
  };
}

async function readLine({ stdin }: ProgramIo): Promise<string> {
  for await (const line of createInterface({ input: stdin })) return line;
  return '';
}
