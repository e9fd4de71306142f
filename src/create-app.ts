import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule, type AppParts } from './app.module.js';
import { SCOPES } from './api-keys/index.js';
import { BearerGuard } from './auth/index.js';
import { Clock, type Env, type Override } from './config/index.js';
import { serveExplorer } from './explorer/index.js';
import {
  checkSerializers,
  checkStart,
  compositionError,
  type Extension,
  globalSerializers,
  inspect,
  refuseLateChanges,
  refuseOwnWays,
  type Route,
  scopesOf,
} from './extensions/index.js';
import { Readiness } from './health/index.js';
import {
  addCommonHeaders,
  addEarlyResponses,
  API_PREFIX,
  batchRequestsPerTick,
  closeConnections,
  collectMethods,
  createServer,
  ignoreEmptyParams,
  respondToOtherMethods,
} from './http/index.js';
import { makeIdempotent } from './idempotency/index.js';
import { logRequests, PinoLogger, RefusalLog } from './logging/index.js';
import { RequestMetrics } from './metrics/index.js';
import { CurrentDocument, refuseUndeclaredQueries } from './openapi/index.js';
import { addAdmission, type AdmissionGuards, PlanThrottlerGuard } from './rate-limit/index.js';
import { addJsonBodyParser } from './validation/index.js';

export interface AppOptions {
  readonly env: Env;
  /** Default: the system's clock. */
  readonly clock?: Clock;
  /** Modules of a team that extends the service. */
  readonly extensions?: readonly Extension[];
  /** Providers in place of `Clock`, `CounterStore`, `KeyVerifier` or `PetsService`. */
  readonly overrides?: readonly Override[];
  /** Called before the application is initialised: the place for adapters, Fastify plugins and global enhancers. */
  readonly configure?: (app: NestFastifyApplication) => void | Promise<void>;
}

/**
 * Builds the service, ready to listen. `main.ts` and the tests share it, and so can a team's own `main.ts`.
 * @throws (rejects) ExtensionError if the extensions are invalid
 */
export async function createApp(options: AppOptions): Promise<NestFastifyApplication> {
  const { env, clock = new Clock(), extensions = [], overrides = [], configure } = options;
  const parts = { env, clock, extensions, overrides };
  const { module, routes } = await checkedModule(parts);
  let guards: AdmissionGuards;
  let metrics: RequestMetrics;
  const refusalLog = new RefusalLog();
  const server = createServer(env, {
    refused: (status, requestId) => {
      metrics.observeUnparsed(status);
      refusalLog.add(String(status), requestId);
    },
    dropped: () => refusalLog.add('MAX_CONNECTIONS'),
  });
  const methodsByPath = collectMethods(server);
  addCommonHeaders(server, env);
  batchRequestsPerTick(server);
  addJsonBodyParser(server);
  // Hooks run in the order in which they are added, and Nest adds some: admission must be added before Nest is created.
  addAdmission(server, () => guards);
  addEarlyResponses(server);
  ignoreEmptyParams(server);

  const app = await NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter(server), {
    bodyParser: false,
    logger: new PinoLogger(env.LOG_LEVEL),
    abortOnError: false,
  });
  guards = { bearer: app.get(BearerGuard), throttler: app.get(PlanThrottlerGuard) };
  metrics = app.get(RequestMetrics);
  closeConnections(server, app.get(Readiness));
  metrics.observeRequests(server);
  logRequests(server, env);
  const exclusions = extensions.flatMap(({ prefixExclusions = [] }) => prefixExclusions);
  app.setGlobalPrefix(API_PREFIX, { exclude: ['health/live', 'health/ready', 'metrics', ...exclusions] });
  refuseOwnWays(app);
  const serializers = globalSerializers(app);
  await configure?.(app);
  if (serializers().length > 0) checkSerializers(serializers(), await routesOfExtensions(parts, routes));
  refuseUndeclaredQueries(server);
  const errorCodes = extensions.flatMap(({ errorCodes: codes = [] }) => codes).map(({ code }) => code);
  serveExplorer(app, new CurrentDocument(app, errorCodes));
  await app.init();
  respondToOtherMethods(server, methodsByPath);
  refuseLateChanges(app);
  return app;
}

/** The root module and its routes, once what extends the service is checked. Every POST accepts an Idempotency-Key. */
async function checkedModule(parts: AppParts): Promise<{ module: DynamicModule; routes: readonly Route[] }> {
  const composition = await inspect(AppModule.of(parts, [])).catch((error: unknown) => {
    throw compositionError(error, parts);
  });
  await checkStart(composition, parts);
  const { routes } = composition;
  makeIdempotent(routes.filter(({ isPost }) => isPost).map(({ handler }) => handler));
  const ofExtensions = parts.extensions.flatMap(({ scopes = [] }) => scopes);
  return { module: AppModule.of(parts, [...new Set([...SCOPES, ...scopesOf(routes), ...ofExtensions])]), routes };
}

async function routesOfExtensions(parts: AppParts, routes: readonly Route[]): Promise<Route[]> {
  const own = await inspect(AppModule.of({ ...parts, extensions: [] }, []));
  const ofService = new Set(own.routes.map(({ handler }) => handler));
  return routes.filter(({ handler }) => !ofService.has(handler));
}
