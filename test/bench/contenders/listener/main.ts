#!/usr/bin/env -S node --max-semi-space-size=8
// Our service with a module that keeps a row for each pet, in the transaction that creates it.
import 'reflect-metadata';
import { startService } from '../../../../src/index.js';
import { SHELF } from './shelf.module.js';

await startService({ extensions: [SHELF] });
