import type { Servers } from './options.js';

/** By how much ours must, and is meant to, be faster than another contender. */
export interface Target {
  readonly case: string;
  readonly against: string;
  readonly must: number;
  readonly aim?: number;
}

/** On PostgreSQL and Redis, where most of a request is theirs. */
const ON_SERVERS: readonly Target[] = [
  { case: 'list', against: 'hand-tuned', must: 2 },
  { case: 'get', against: 'hand-tuned', must: 1.3 },
  { case: 'create', against: 'hand-tuned', must: 1 },
];

const EMBEDDED: readonly Target[] = [
  { case: 'list', against: 'hand-tuned', must: 2.5, aim: 3.2 },
  { case: 'get', against: 'hand-tuned', must: 1.4, aim: 1.6 },
  { case: 'get-random', against: 'hand-tuned', must: 1.3, aim: 1.6 },
  { case: 'create', against: 'hand-tuned', must: 2.2, aim: 3 },
  { case: 'mix', against: 'hand-tuned', must: 1.7, aim: 2 },
  { case: '401', against: 'hand-tuned', must: 1, aim: 1.2 },
  { case: '401-unknown', against: 'hand-tuned', must: 1, aim: 1.2 },
  { case: 'list', against: 'bare', must: 0.5, aim: 0.62 },
  { case: 'get', against: 'bare', must: 0.58, aim: 0.68 },
  { case: 'create', against: 'bare', must: 0.3, aim: 0.45 },
  { case: '401', against: 'bare', must: 0.65, aim: 0.75 },
  { case: '401-unknown', against: 'bare', must: 0.65, aim: 0.75 },
  ...['list', 'get', 'get-random', 'create', 'mix', '401', '401-unknown'].map((name) => ({
    case: name,
    against: 'same-core',
    must: 0.75,
  })),
];

export const TARGETS: Readonly<Record<Servers, readonly Target[]>> = { sqlite: EMBEDDED, postgres: ON_SERVERS };
