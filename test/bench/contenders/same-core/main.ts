import 'reflect-metadata';
import { prepareV8, settleV8 } from '../../../../src/v8/index.js';

// As our main.ts does, or that would be compared too.
prepareV8();
await import('./service.js');
settleV8();
