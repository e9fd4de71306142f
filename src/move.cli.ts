#!/usr/bin/env node
import { leaveOnSignals } from './check-node.js';
import './programs/closed-pipe.js';
import 'reflect-metadata';
import { runMove } from './programs/run-move.js';

leaveOnSignals();
process.exitCode = await runMove(process.argv.slice(2), process);
