#!/usr/bin/env -S node --max-semi-space-size=8
// Uses the same options as our main.ts, so that the comparison does not measure different options.
import 'reflect-metadata';
await import('./service.js');
