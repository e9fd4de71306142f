import type { RateLimitPluginOptions } from '@fastify/rate-limit';
import type { KeyFinder } from './keys.js';
import type { PetStatements } from './statements.js';

/** Stores the keys, the pets and the rate-limit counters. */
export interface Backend {
  readonly findKey: KeyFinder;
  readonly counters: Pick<RateLimitPluginOptions, 'redis' | 'nameSpace'>;
  readonly pets: PetStatements;
}
