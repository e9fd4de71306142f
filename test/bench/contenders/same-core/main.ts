#!/usr/bin/env -S node --max-semi-space-size=8
// With the options of our main.ts, or they would be compared too.
import 'reflect-metadata';
await import('./service.js');
