import { RequestMethod } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import { KnownScopes } from './auth/keys/scopes.js';
import { BearerGuard } from './auth/bearer.guard.js';
import { Clock } from './platform/config/clock.js';
import { endsInTime } from './platform/recurring-task.js';
import { requestLog, observeResponses, recheckHeads } from './http/hooks/responses.js';
import { PinoLogger } from './platform/logging/pino-logger.js';
import { serveExplorer } from './openapi/explorer/explorer.js';
import { type AppOptions, checkAppOptions } from './extensions/app-options.js';
import { checkExtensions, refuseMethods } from './extensions/extension.js';
import { Readiness } from './monitoring/readiness.js';
import { RequestMetrics } from './monitoring/request-metrics.js';
import { addCommonHeaders, addEarlyResponses, batchRequestsPerTick } from './http/hooks/requests.js';
import { RoutedPaths } from './http/hooks/routed-paths.js';
import { API_PREFIX } from './http/requests/request.js';
import { closeConnections } from './http/connections/closing.js';
import { ApiAdapter, createServer } from './http/server.js';
import { addIdempotency } from './http/idempotency/idempotency.hooks.js';
import { IdempotencyService } from './http/idempotency/idempotency.service.js';
import { addJsonBodyParser } from './http/json/json-body.js';
import { ApiExceptionFilter } from './http/errors/api-exception.filter.js';
import { Admission } from './rate-limit/admission.js';
import { PlanThrottlerGuard } from './rate-limit/plan-throttler.guard.js';
import { UsageRecorder } from './rate-limit/history/usage-history.js';

const createNest: NonNullable<AppOptions['create']> = (module, adapter, settings) =>
  NestFactory.create<NestFastifyApplication>(module, adapter, settings);

/**
 * Builds the service, ready to listen. `main.ts` and the tests share it, and so can a team's own `main.ts`.
 * @throws (rejects) ConfigError if `env` is not an `Env` or an option is misspelt, ExtensionError if the extensions are invalid
 */
export async function createApp(options: AppOptions): Promise<NestFastifyApplication> {
  const { env, clock = new Clock(), extensions = [], configure, create = createNest } = options;
  checkAppOptions(options);
  const server = createServer(env);
  const paths = new RoutedPaths(server);
  addJsonBodyParser(server);
  // The way of a request. Nest adds hooks to it when it creates the application, and those of middleware: these come first.
  addCommonHeaders(server, env);
  batchRequestsPerTick(server);
  const admission = new Admission(server);
  addEarlyResponses(server, paths);
  const app = await create(AppModule.forRoot(env, clock, extensions), new ApiAdapter(server), {
    bodyParser: false,
    logger: new PinoLogger(env.LOG_LEVEL),
    abortOnError: false,
  });
  admission.guards = { bearer: app.get(BearerGuard), throttler: app.get(PlanThrottlerGuard) };
  addIdempotency(server, app.get(IdempotencyService));
  // The way of its response.
  const filter = app.get(ApiExceptionFilter);
  const metrics = app.get(RequestMetrics);
  observeResponses(server, filter, [
    closeConnections(server, app.get(Readiness)),
    metrics.observeResponse,
    app.get(UsageRecorder).observeResponse,
    requestLog(env),
  ]);
  metrics.observeConnections(server.server);
  const exclude = ['health/live', 'health/ready', 'metrics'].map((path) => ({ path, method: RequestMethod.GET }));
  app.setGlobalPrefix(API_PREFIX, { exclude });
  refuseMethods(app);
  try {
    const configured = [...extensions, { configure }].filter((one) => one.configure !== undefined);
    for (const one of configured) await one.configure?.(app);
    // Hooks that they have added can set headers, too.
    if (configured.length > 0) recheckHeads(server, filter);
    app.get(KnownScopes).add(await checkExtensions(app, extensions));
    const errorCodes = extensions.flatMap(({ errorCodes: codes = [] }) => codes).map(({ code }) => code);
    serveExplorer(app, errorCodes);
    await app.init();
    return app;
  } catch (error) {
    // Otherwise connections to the database would remain open. What has not begun may not end, or fail, either.
    await endsInTime(() => 'the stop of an application that did not start', app.close());
    throw error;
  }
}
