export { Clock } from './clock.js';
export { ConfigModule } from './config.module.js';
export { ConfigError, Env, loadEnv } from './env.js';
