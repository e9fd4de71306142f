import 'reflect-metadata';
import { createRequire, enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { prepareV8, settleV8 } from './v8/index.js';

// Before anything else is loaded. Whoever imports node:http as an ES module asks for all that it exports, and for these
// three Node loads undici, its client for HTTP: a twentieth of the start.
const http: Record<string, unknown> = createRequire(import.meta.url)('node:http');
for (const name of ['WebSocket', 'CloseEvent', 'MessageEvent']) delete http[name];

// The build fills the cache, under the settings that come next: compiled code is valid under no others. It takes a fifth off
// the start.
enableCompileCache({ directory: join(import.meta.dirname, '../.compile-cache'), portable: true });
prepareV8();

const { startService } = await import('./start-service.js');
await startService();
settleV8();
