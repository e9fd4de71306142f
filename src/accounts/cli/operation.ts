import type { INestApplicationContext } from '@nestjs/common';
import type { KeysService } from '../keys/keys.service.js';

export interface Outcome {
  /** For standard output. */
  readonly text: string;
  /** Whether running services may still have an older state. */
  readonly changed: boolean;
}

/** A command whose arguments are valid. */
export interface Operation {
  /** Whether it works on a new database too. */
  readonly createsDatabase?: boolean;
  /** @throws (rejects) DomainError with a message for the operator */
  run(context: INestApplicationContext): Promise<Outcome>;
}

export type Choose = (run: (keys: KeysService, nowMs: number) => Promise<Outcome>, createsDatabase?: boolean) => void;

export interface Json {
  readonly json?: true;
}

export const JSON_OPTION = ['--json', 'print one line for programs'] as const;
export const ALLOW_UNKNOWN_SCOPE = ['--allow-unknown-scope', 'accept scopes of extensions'] as const;

/** Shows a value to programs, or as a text to people. */
export function shown<T>(json: true | undefined, value: T, textOf: (value: T) => string, changed = false): Outcome {
  return { text: json ? JSON.stringify(value) : textOf(value), changed };
}
