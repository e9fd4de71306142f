export { AutoPipeliner } from './auto-pipeliner.js';
export { RedisClient } from './redis-client.js';
export { RedisModule } from './redis.module.js';
export { Script } from './script.js';
export { SharedVersion } from './shared-version.js';
