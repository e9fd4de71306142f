import type { RateLimitPluginOptions } from '@fastify/rate-limit';
import type { KeyFinder } from './keys.js';
import type { PetStatements } from './statements.js';

/** What holds keys and pets, and where limits are counted. */
export interface Backend {
  readonly findKey: KeyFinder;
  readonly counters: Pick<RateLimitPluginOptions, 'redis' | 'nameSpace'>;
  readonly pets: PetStatements;
}
