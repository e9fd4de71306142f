import 'reflect-metadata';
import { chooseCompilers } from '../../../../src/compilers.js';
import { boundOldGeneration } from '../../../../src/old-generation.js';
import { sizeYoungGeneration } from '../../../../src/young-generation.js';

// As our main.ts does, or that would be compared too.
sizeYoungGeneration();
await import('./service.js');
chooseCompilers();
boundOldGeneration();
