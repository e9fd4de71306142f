#!/usr/bin/env node
import './check-node.js';
import { exitOnSignals, exitWithReader } from './programs/early-exit.js';
import { runDeliveries } from './programs/run-deliveries.js';

exitOnSignals();
exitWithReader();
process.exitCode = await runDeliveries(process.argv.slice(2), process);
