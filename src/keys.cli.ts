#!/usr/bin/env node
import './check-node.js';
import { setTimeout as delay } from 'node:timers/promises';
import { exitOnSignals, exitWithReader } from './programs/early-exit.js';
import { runKeys } from './programs/run-keys.js';

/** Running services poll for changes ten times a second; after this wait, they have seen a change. */
const SETTLE_MS = 300;

exitOnSignals();
exitWithReader();
const { exitCode, changed } = await runKeys(process.argv.slice(2), process);
process.exitCode = exitCode;
if (changed) await delay(SETTLE_MS);
