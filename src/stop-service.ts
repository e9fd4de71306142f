import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Readiness } from './monitoring/readiness.js';
import { drainConnections } from './http/connections/closing.js';
import { describe } from './platform/errors/domain-error.js';
import { awaitedAtStop } from './platform/recurring-task.js';

/** When the process exits with 1, whatever is still running, in milliseconds. */
const DEADLINE_MS = 30_000;
/** The same after an error that nothing handles, and how long requests in progress have then. */
const ERROR_DEADLINE_MS = 5_000;
const ERROR_DRAIN_MS = 3_000;

/**
 * Stops the service on SIGTERM and SIGINT, and on an error that nothing handles: the state of the process is unknown then, so
 * it exits with 1, and a supervisor starts it again.
 * @param end called at last, when the service has stopped
 */
export function stopOnSignals(app: NestFastifyApplication, end: () => Promise<void>): void {
  const logger = new Logger('Service');
  let isStopping = false;
  let exitCode = 0;

  const fail = (error: unknown): never => {
    logger.error({ message: 'stopping failed', error: describe(error, 'stack') });
    process.exit(1);
  };
  const begin = (signal?: NodeJS.Signals): void => {
    const deadlineMs = signal === undefined ? ERROR_DEADLINE_MS : DEADLINE_MS;
    const deadline = setTimeout(() => {
      const left = Array.from(awaitedAtStop, (name) => name()).join(', ') || 'unknown';
      fail(`It took longer than ${deadlineMs} ms. Left running: ${left}.`);
    }, deadlineMs).unref();
    if (isStopping) return;
    isStopping = true;
    const sinceMs = performance.now();
    logger.log({ message: 'stopping', signal });
    stop(app, signal)
      .then(end)
      .then(() => {
        clearTimeout(deadline);
        logger.log({ message: 'stopped', durationMs: Math.round(performance.now() - sinceMs) });
        process.exit(exitCode);
      }, fail);
  };
  const failed = (error: unknown): void => {
    exitCode = 1;
    logger.fatal({ message: 'stopping because of an error that nothing handled', error: describe(error, 'stack') });
    begin();
  };
  process.on('SIGTERM', begin).on('SIGINT', begin);
  process.on('uncaughtException', failed).on('unhandledRejection', failed);
}

/**
 * Load balancers notice, requests in progress end, and only then are providers destroyed, which those requests use. Nest
 * alone would destroy providers first.
 */
async function stop(app: NestFastifyApplication, signal: NodeJS.Signals | undefined): Promise<void> {
  // Nest's types omit the signal.
  const closing: { close(signal?: string): Promise<void> } = app;
  await app.get(Readiness).end(signal);
  await drainConnections(app.getHttpAdapter().getInstance(), signal === undefined ? ERROR_DRAIN_MS : undefined);
  await closing.close(signal);
}
