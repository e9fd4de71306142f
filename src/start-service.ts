import { Logger } from '@nestjs/common';
import { Database } from './database/database.js';
import { databaseUrlOf, isPostgresUrl } from './database/database-options.js';
import { explained } from './database/unavailable.js';
import { awaitDatabaseFile, sqliteFile } from './database/sqlite/sqlite-file.js';
import { changedSettings, ConfigError, loadEnv } from './platform/config/load-env.js';
import { startTracing } from './platform/tracing/start-tracing.js';
import { VERSION } from './platform/config/env.js';
import { ExtensionError } from './platform/errors/extension-error.js';
import { anyAddress, localOrigin } from './http/addresses.js';
import type { AppOptions } from './extensions/app-options.js';
import { createApp } from './create-app.js';
import { exitOnSignals } from './programs/early-exit.js';
import { stopOnSignals } from './stop-service.js';

/**
 * Reads the configuration, builds the service and listens. SIGTERM or SIGINT stops it after the requests in progress, and
 * so does an unhandled error. If the service cannot start, it prints the reason to standard error and exits
 * with 1.
 */
export async function startService(options: Omit<AppOptions, 'env'> = {}): Promise<void> {
  // Until it can stop in order: migrations can take long.
  const stay = exitOnSignals();
  try {
    const env = loadEnv();
    const url = databaseUrlOf(env);
    if (url !== 'sqlite::memory:' && !isPostgresUrl(url)) await awaitDatabaseFile(sqliteFile(url));
    const endTracing = await startTracing(env);
    const app = await createApp({ ...options, env });
    stay();
    stopOnSignals(app, endTracing);
    // Connections wait for the event loop in the kernel, which drops those beyond the backlog for seconds.
    const where = { port: env.PORT, host: env.HOST ?? anyAddress(), backlog: env.MAX_CONNECTIONS };
    await app.listen(where).catch(({ code, message }: NodeJS.ErrnoException) => {
      const advice = code === 'EADDRINUSE' ? 'Set PORT to another port.' : 'Check HOST and PORT.';
      throw new Error(`${message}. ${advice}`);
    });
    const address = localOrigin(app.getHttpServer());
    new Logger('Service').log({
      message: 'listening',
      address,
      explorer: `${address}/docs`,
      version: VERSION,
      revision: env.REVISION,
      database: app.get(Database).isEmbedded ? 'SQLite' : 'PostgreSQL',
      counters: env.REDIS_URL === undefined ? 'this process' : 'Redis',
      settings: changedSettings(env),
    });
  } catch (error) {
    const isExplained = error instanceof ConfigError || error instanceof ExtensionError;
    const reason = isExplained ? error.message : `Start failed: ${explained(error)}`;
    process.stderr.write(`${reason}\n`);
    process.exit(1);
  }
}
