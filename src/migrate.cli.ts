#!/usr/bin/env node
import './check-node.js';
import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { explained } from './database/unavailable.js';
import { loadEnv } from './platform/config/load-env.js';
import { PinoLogger } from './platform/logging/pino-logger.js';
import { exitOnSignals, refuseArguments } from './programs/early-exit.js';
import { migrate } from './database-parts.js';

refuseArguments('petstore-migrate');
exitOnSignals();
try {
  const env = loadEnv();
  Logger.overrideLogger(new PinoLogger(env.LOG_LEVEL));
  await migrate(env);
  new Logger('Migrations').log({ message: 'no migration is pending' });
} catch (error) {
  process.stderr.write(`${explained(error)}\n`);
  process.exitCode = 1;
}
