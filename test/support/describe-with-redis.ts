import { describeWith } from './describe-with.js';

/** Like `describe`, for tests that start a Redis server. */
export const describeWithRedis = describeWith('redis-server', '--version');
