import 'reflect-metadata';
import { loadEnv, migrate } from 'petstore-service';
import { VET_VISITS } from './extension.js';

/** Runs pending migrations of the service and of the extension, for instances with `MIGRATE_ON_START=false`. */
await migrate(loadEnv(), [VET_VISITS]);
