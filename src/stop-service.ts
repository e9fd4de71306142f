import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Readiness } from './monitoring/index.js';
import { drainConnections } from './http/index.js';

interface StopOptions {
  /** For hooks of providers. */
  readonly signal?: NodeJS.Signals;
  /** How long the service is not ready but keeps accepting requests, in milliseconds. Default: that of `Readiness`. */
  readonly noticeMs?: number;
  /** How long requests in progress and streams have after that, in milliseconds. Default: that of `drainConnections`. */
  readonly drainMs?: number;
  /** When the process exits with 1, whatever is still running, in milliseconds. */
  readonly deadlineMs: number;
}

const ON_SIGTERM = { signal: 'SIGTERM', deadlineMs: 30_000 } as const;
const ON_SIGINT = { signal: 'SIGINT', noticeMs: 0, deadlineMs: 30_000 } as const;
const ON_ERROR = { noticeMs: 0, drainMs: 3_000, deadlineMs: 5_000 } as const;

/**
 * Stops the service on SIGTERM and SIGINT, and on an error that nothing handles: the state of the process is unknown then, so
 * it exits with 1, and a supervisor starts it again.
 */
export function stopOnSignals(app: NestFastifyApplication): void {
  const logger = new Logger('Service');
  let isStopping = false;
  let exitCode = 0;

  const fail = (error: unknown): never => {
    logger.error({ message: 'stopping failed', error: String(error) });
    process.exit(1);
  };
  const begin = ({ deadlineMs, ...options }: StopOptions): void => {
    setTimeout(() => fail(`It took longer than ${deadlineMs} ms.`), deadlineMs).unref();
    if (isStopping) return;
    isStopping = true;
    stop(app, options).then(() => process.exit(exitCode), fail);
  };
  const failed = (error: unknown): void => {
    exitCode = 1;
    logger.fatal({ message: 'stopping because of an error that nothing handled', error: describe(error) });
    begin(ON_ERROR);
  };
  process.on('SIGTERM', () => begin(ON_SIGTERM));
  process.on('SIGINT', () => begin(ON_SIGINT));
  process.on('uncaughtException', failed).on('unhandledRejection', failed);
}

/**
 * Load balancers notice, requests in progress end, and only then are providers destroyed, which those requests use. Nest
 * alone would destroy providers first.
 */
async function stop(
  app: NestFastifyApplication,
  { signal, noticeMs, drainMs }: Omit<StopOptions, 'deadlineMs'>,
): Promise<void> {
  // Nest's types omit the signal.
  const closing: { close(signal?: string): Promise<void> } = app;
  await app.get(Readiness).end(noticeMs);
  await drainConnections(app.getHttpAdapter().getInstance(), drainMs);
  await closing.close(signal);
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
