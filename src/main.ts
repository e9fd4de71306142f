#!/usr/bin/env -S node --max-semi-space-size=8
// Bounds the young generation, which otherwise grows to 64 MB while modules are loaded and keeps 40 MB of resident memory.
import './check-node.js';
import 'reflect-metadata';
import { refuseArguments } from './programs/early-exit.js';
import { startService } from './start-service.js';

refuseArguments('petstore');
await startService();
