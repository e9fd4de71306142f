#!/usr/bin/env node
import './check-node.js';
import { setTimeout as delay } from 'node:timers/promises';
import { CommanderError } from 'commander';
import { type KeysCommand, keysProgram } from './accounts/cli/keys-program.js';

/** Running services poll for changes ten times a second; after this wait, they have seen a change. */
const SETTLE_MS = 300;

const chosen = parse(process.argv.slice(2));
try {
  if (chosen !== undefined) {
    // The service is loaded when a command runs: help and invalid arguments need none of it.
    const { runKeysCommand } = await import('./run-keys-command.js');
    if (await runKeysCommand(chosen)) await delay(SETTLE_MS);
  }
} catch (error) {
  fail(error, 1);
}

/** Undefined if the arguments are invalid or ask for help. */
function parse(args: readonly string[]): KeysCommand | undefined {
  let parsed: KeysCommand | undefined;
  const program = keysProgram((command) => (parsed = command));
  try {
    if (args.length === 0) program.error('error: missing command');
    program.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError) || error.exitCode !== 0) fail(error, 2);
  }
  return parsed;
}

/** A key may have been given instead of its id, and terminals are recorded. */
function fail(error: unknown, exitCode: number): void {
  const message = (error instanceof Error ? error.message : String(error)).replaceAll(
    /psk_(?:live|test)_\w+/g,
    'psk_…',
  );
  process.stderr.write(`${message}\n`);
  process.exitCode = exitCode;
}
