#!/usr/bin/env node
import { leaveOnSignals } from './check-node.js';
import './programs/closed-pipe.js';
import { runDeliveries } from './programs/run-deliveries.js';

leaveOnSignals();
process.exitCode = await runDeliveries(process.argv.slice(2), process);
