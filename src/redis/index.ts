export { RedisClient } from './redis-client.js';
export { redisOptions } from './redis-options.js';
export { RedisModule } from './redis.module.js';
export { Script } from './script.js';
export type { SharedVersion } from './shared-version.js';
