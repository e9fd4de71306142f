import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ConfigError, loadEnv } from './config/index.js';
import { type AppOptions, createApp } from './create-app.js';
import { ExtensionError } from './extensions/index.js';
import { Readiness } from './health/index.js';
import { anyAddress, drainConnections, localOrigin } from './http/index.js';

/** When the process ends although something holds up its stop, in milliseconds. */
const STOP_DEADLINE_MS = 30_000;

export interface StopOptions {
  /** The signal that stops the process, for hooks of providers. */
  readonly signal?: NodeJS.Signals;
  /** How long the service is not ready but keeps accepting requests, in milliseconds. Default: that of `Readiness`. */
  readonly noticeMs?: number;
  /** How long requests in progress and streams have after that, in milliseconds. Default: that of `drainConnections`. */
  readonly drainMs?: number;
  /** When the process exits with 1, whatever is still running, in milliseconds. */
  readonly deadlineMs?: number;
  readonly exitCode?: number;
}

/**
 * Stops the service and exits: load balancers notice, requests in progress end, and only then are providers destroyed, which
 * those requests use. Nest alone would destroy providers first.
 */
export async function stop(app: NestFastifyApplication, options: StopOptions = {}): Promise<void> {
  const { signal, noticeMs, drainMs, deadlineMs = STOP_DEADLINE_MS, exitCode = 0 } = options;
  // Nest's types omit the signal.
  const closing: { close(signal?: string): Promise<void> } = app;
  setTimeout(() => failStop(`It took longer than ${deadlineMs} ms.`), deadlineMs).unref();
  try {
    await app.get(Readiness).end(noticeMs);
    await drainConnections(app.getHttpAdapter().getInstance(), drainMs);
    await closing.close(signal);
    process.exit(exitCode);
  } catch (error) {
    failStop(error);
  }
}

function failStop(error: unknown): never {
  new Logger('Service').error({ message: 'stopping failed', error: String(error) });
  process.exit(1);
}

/**
 * Reads the configuration, builds the service and listens. SIGTERM or SIGINT stops it after the requests in progress. If
 * the service cannot start, it prints the reason to standard error and exits with 1.
 */
export async function startService(options: Omit<AppOptions, 'env'> = {}): Promise<void> {
  try {
    const env = loadEnv(undefined, options.extensions);
    const app = await createApp({ ...options, env });
    process.on('SIGTERM', (signal) => void stop(app, { signal }));
    process.on('SIGINT', (signal) => void stop(app, { signal, noticeMs: 0 }));
    await app.listen(env.PORT, env.HOST ?? anyAddress());
    const address = localOrigin(app.getHttpServer());
    new Logger('Service').log({ message: 'listening', address, explorer: `${address}/docs` });
  } catch (error) {
    const isExplained = error instanceof ConfigError || error instanceof ExtensionError;
    const reason = isExplained ? error.message : `Start failed: ${String(error)}`;
    process.stderr.write(`${reason}\n`);
    process.exit(1);
  }
}
