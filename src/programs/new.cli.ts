#!/usr/bin/env node
import '../check-node.js';
import { exitWithReader } from './early-exit.js';
import { runNew } from './run-new.js';

exitWithReader();
process.exitCode = runNew(process.argv.slice(2), process);
