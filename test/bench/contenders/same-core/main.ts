import 'reflect-metadata';
import { optimiseEarly } from '../../../../src/optimise-early.js';
import { growYoungGeneration } from '../../../../src/young-generation.js';

// As our main.ts does, or that would be compared too.
growYoungGeneration();
await import('./service.js');
optimiseEarly();
