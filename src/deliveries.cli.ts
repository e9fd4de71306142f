#!/usr/bin/env node
import './check-node.js';
import './programs/closed-pipe.js';
import { runDeliveries } from './programs/run-deliveries.js';

process.exitCode = await runDeliveries(process.argv.slice(2), process);
