#!/usr/bin/env node
import './check-node.js';
import 'reflect-metadata';
import { exitWithReader } from './programs/early-exit.js';
import { runBackup } from './programs/run-backup.js';

exitWithReader();
process.exitCode = runBackup(process.argv.slice(2), process);
