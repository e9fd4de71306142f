import 'reflect-metadata';
import type { INestApplicationContext } from '@nestjs/common';
import type { KeysCommand, KeysServices } from '../accounts/cli/keys-program.js';
import { KeysService } from '../accounts/keys/keys.service.js';
import { Clock } from '../platform/config/clock.js';
import { UsageHistory } from '../rate-limit/history/usage-history.js';
import { onDatabase } from './on-database.js';
import { print, type ProgramIo } from './program.js';

export function runKeysCommand({ createsDatabase, run }: KeysCommand, io: ProgramIo): Promise<boolean> {
  return onDatabase(io, createsDatabase, async (context) => {
    const { text, changed } = await run(servicesOf(context));
    // Before any wait: Ctrl+C must not lose a new key.
    await print(text, io);
    return changed;
  });
}

export function servicesOf(context: INestApplicationContext): KeysServices {
  return { keys: context.get(KeysService), history: context.get(UsageHistory), nowMs: context.get(Clock).nowMs() };
}
