export { RedisLink } from './redis-link.js';
export { RedisModule } from './redis.module.js';
export { Script } from './script.js';
export { SharedVersion } from './shared-version.js';
