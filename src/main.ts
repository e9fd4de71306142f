import 'reflect-metadata';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { chooseCompilers } from './compilers.js';
import { sizeYoungGeneration } from './young-generation.js';

// Before anything else is loaded. The build fills the cache, which takes a sixth off the start.
enableCompileCache({ directory: join(import.meta.dirname, '../.compile-cache'), portable: true });
sizeYoungGeneration();

const { startService } = await import('./start-service.js');
await startService();
chooseCompilers();
