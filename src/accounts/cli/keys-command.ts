import { Command } from 'commander';
import type { UsageHistory } from '../../rate-limit/history/usage-history.js';
import type { AccountsService, AccountTable } from '../accounts.service.js';
import type { KeysService } from '../keys/keys.service.js';
import { limit } from './keys-arguments.js';

export interface KeysServices {
  readonly keys: KeysService;
  readonly accounts: AccountsService;
  readonly history: UsageHistory;
  readonly nowMs: number;
  /** What is stored of accounts. */
  readonly tables: readonly AccountTable[];
  /** The first line of standard input. */
  readLine(): Promise<string>;
}

/** The text for standard output, and whether running services may still have an older state. */
export type Outcome = { readonly text: string | AsyncIterable<string>; readonly changed: boolean };

export interface KeysCommand {
  /** Whether it works on a new database too. */
  readonly createsDatabase: boolean;
  /** Whether it reads or deletes so much that it needs a time limit of its own. */
  readonly isLong?: boolean;
  /** @throws (rejects) DomainError with a message for the operator */
  run(services: KeysServices): Promise<Outcome>;
}

export type Json = { readonly json?: true };

export const JSON_OPTION = ['--json', 'print one line for programs'] as const;
export const PER_MINUTE = ['--per-minute <n>', 'requests per minute, for enterprise', limit] as const;
export const PER_DAY = ['--per-day <n>', 'requests per day, for enterprise', limit] as const;

export interface Commands {
  command(name: string, description: string): Command;
  run(work: KeysCommand['run'], options?: Partial<KeysCommand>): void;
}

export const done = (text: string): Outcome => ({ text, changed: true });

/** A result for programs, or as a text for people. */
export function rendered<T>(
  json: true | undefined,
  result: T,
  textOf: (result: T) => string,
  changed = false,
): Outcome {
  return { text: json ? JSON.stringify(result) : textOf(result), changed };
}
