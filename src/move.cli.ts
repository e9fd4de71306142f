#!/usr/bin/env node
import './check-node.js';
import 'reflect-metadata';
import { exitOnSignals, exitWithReader } from './programs/early-exit.js';
import { runMove } from './programs/run-move.js';

exitOnSignals();
exitWithReader();
process.exitCode = await runMove(process.argv.slice(2), process);
