#!/usr/bin/env node
import './check-node.js';
import './programs/closed-pipe.js';
import 'reflect-metadata';
import { runBackup } from './programs/run-backup.js';

process.exitCode = runBackup(process.argv.slice(2), process);
