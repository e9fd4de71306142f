import { describeWith } from './describe-with.js';

/** As `describe`, for tests that start a Redis server. */
export const describeWithRedis = describeWith('redis-server', '--version');
