import 'reflect-metadata';
import { ConfigError, loadEnv } from './config/index.js';
import { createApp } from './configure-app.js';

try {
  const env = loadEnv();
  const app = await createApp({ env });
  app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true });
  await app.listen(env.PORT, env.HOST);
} catch (error) {
  process.stderr.write(`${error instanceof ConfigError ? error.message : String(error)}\n`);
  process.exit(1);
}
