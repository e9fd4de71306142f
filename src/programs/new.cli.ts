#!/usr/bin/env node
import '../check-node.js';
import './closed-pipe.js';
import { runNew } from './run-new.js';

process.exitCode = runNew(process.argv.slice(2), process);
