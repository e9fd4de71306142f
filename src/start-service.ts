import { Logger } from '@nestjs/common';
import { ConfigError, loadEnv } from './config/index.js';
import { type AppOptions, createApp } from './configure-app.js';
import { anyAddress } from './http/index.js';

/**
 * Reads the configuration, builds the service and listens, until SIGTERM or SIGINT ends it once all requests that are
 * under way are answered. A service that can't start says why on standard error and ends the process with exit code 1.
 */
export async function startService(options: Omit<AppOptions, 'env'> = {}): Promise<void> {
  try {
    const env = loadEnv();
    const app = await createApp({ ...options, env });
    app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true });
    await app.listen(env.PORT, env.HOST ?? anyAddress());
    new Logger('Service').log({ message: 'listening', address: await app.getUrl() });
  } catch (error) {
    const reason = error instanceof ConfigError ? error.message : `The service could not start: ${String(error)}`;
    process.stderr.write(`${reason}\n`);
    process.exit(1);
  }
}
