import type { Servers } from './options.js';

/** How many times more requests than another contender our service must serve. */
export interface Target {
  readonly case: string;
  readonly against: string;
  readonly must: number;
}

/** Redis and PostgreSQL take most of the time of a request. */
const ON_SERVERS: readonly Target[] = [
  { case: 'list', against: 'hand-tuned', must: 2 },
  { case: 'get', against: 'hand-tuned', must: 1.3 },
  { case: 'create', against: 'hand-tuned', must: 1 },
];

const EMBEDDED: readonly Target[] = [
  { case: 'list', against: 'hand-tuned', must: 2.5 },
  { case: 'get', against: 'hand-tuned', must: 1.2 },
  { case: 'get-random', against: 'hand-tuned', must: 1.3 },
  { case: 'create', against: 'hand-tuned', must: 3 },
  { case: 'mix', against: 'hand-tuned', must: 1.7 },
  { case: '401', against: 'hand-tuned', must: 1 },
];

export const TARGETS: Readonly<Record<Servers, readonly Target[]>> = { sqlite: EMBEDDED, postgres: ON_SERVERS };
