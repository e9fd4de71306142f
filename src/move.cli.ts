#!/usr/bin/env node
import './check-node.js';
import './programs/closed-pipe.js';
import 'reflect-metadata';
import { runMove } from './programs/run-move.js';

process.exitCode = await runMove(process.argv.slice(2), process);
