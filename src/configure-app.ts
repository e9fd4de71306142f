import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule, type Extension } from './app.module.js';
import { PLANS } from './auth/index.js';
import { Clock, type Env } from './config/index.js';
import { Metrics, Readiness } from './health/index.js';
import { addCommonHeaders, addDraining, addEarlyAnswers, answerOtherMethods, API_PREFIX, ApiAdapter, collectMethods, createServer, keepFirstRequests, shareTurns } from './http/index.js';
import { announceDeprecations } from './lifecycle/index.js';
import { logRequests, PinoLogger } from './logging/index.js';
import { serveExplorer } from './openapi/index.js';
import { Admission } from './rate-limit/index.js';

export interface AppOptions {
  readonly env: Env;
  /** The system's clock by default. */
  readonly clock?: Clock;
  /** Modules of a team that extends the service. */
  readonly extensions?: readonly Extension[];
}

/** Builds the service, ready to listen. `main.ts` and the tests share it, and so can a team's own `main.ts`. */
export async function createApp({ env, clock = new Clock(), extensions = [] }: AppOptions): Promise<NestFastifyApplication> {
  const server = createServer(env);
  const methodsByPath = collectMethods(server);
  let readiness: Readiness;
  addDraining(server, () => readiness.isEnding);
  keepFirstRequests(server);
  addCommonHeaders(server, env);
  shareTurns(server);
  // Hooks run in the order in which they are added, and Nest adds some: admission has to be here before Nest is.
  let admission: Admission;
  server.addHook('onRequest', (request, reply, done) => {
    admission.onRequest(request, reply, done);
  });
  addEarlyAnswers(server);
  announceDeprecations(server, clock, env);

  const app = await NestFactory.create<NestFastifyApplication>(AppModule.of(env, clock, extensions), new ApiAdapter(server), {
    bodyParser: false,
    logger: new PinoLogger(env.LOG_LEVEL),
    abortOnError: false,
  });
  admission = app.get(Admission);
  readiness = app.get(Readiness);
  const metrics = app.get(Metrics);
  // A promise, so that what admission answers for the requests of a turn is written in one go too: a tenth of each 401.
  server.addHook('onSend', async (request, reply, payload) => {
    metrics.observe(request, reply);
    return payload;
  });
  logRequests(server, env);
  app.setGlobalPrefix(API_PREFIX, { exclude: ['health/live', 'health/ready', 'metrics'] });
  serveExplorer(app, PLANS);
  await app.init();
  answerOtherMethods(server, methodsByPath);
  return app;
}
