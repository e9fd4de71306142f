#!/usr/bin/env node
import './check-node.js';
import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { explained } from './database/index.js';
import { migrate } from './database-parts.js';
import { loadEnv, PinoLogger } from './platform/index.js';
import { refuseArguments } from './refuse-arguments.js';

refuseArguments('petstore-migrate');

try {
  const env = loadEnv();
  Logger.overrideLogger(new PinoLogger(env.LOG_LEVEL));
  await migrate(env);
  new Logger('Migrations').log({ message: 'no migration is pending' });
} catch (error) {
  process.stderr.write(`${explained(error)}\n`);
  process.exitCode = 1;
}
