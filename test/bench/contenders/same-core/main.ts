import 'reflect-metadata';
import { optimiseEarly } from '../../../../src/optimise-early.js';
import { sizeYoungGeneration } from '../../../../src/young-generation.js';

// As our main.ts does, or that would be compared too.
sizeYoungGeneration();
await import('./service.js');
optimiseEarly();
