import { Logger } from '@nestjs/common';
import { ConfigError, loadEnv } from './platform/index.js';
import { type AppOptions, createApp } from './create-app.js';
import { ExtensionError } from './extensions/index.js';
import { anyAddress, localOrigin } from './http/index.js';
import { stopOnSignals } from './stop-service.js';

/**
 * Reads the configuration, builds the service and listens. SIGTERM or SIGINT stops it after the requests in progress, and
 * so does an error that nothing handles. If the service cannot start, it prints the reason to standard error and exits
 * with 1.
 */
export async function startService(options: Omit<AppOptions, 'env'> = {}): Promise<void> {
  try {
    const env = loadEnv();
    const app = await createApp({ ...options, env });
    stopOnSignals(app);
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
