import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { HOME, page } from './pages.js';

/** The spec that causes each problem of the table. */
const SHOWN_BY: Readonly<Record<string, string>> = {
  'PostgreSQL is killed, shut down or paused, or its network is gone': 'test/faults/postgres-away.spec.ts',
  'PostgreSQL has no free connection': 'test/faults/postgres-away.spec.ts',
  'PostgreSQL ends single connections': 'test/faults/postgres-away.spec.ts',
  'PostgreSQL is killed while it writes': 'test/faults/postgres-away.spec.ts',
  'The disk of PostgreSQL is full': 'test/faults/writes-in-time.spec.ts',
  'PostgreSQL accepts no writes, such as a standby': 'test/faults/writes-in-time.spec.ts',
  'Another session locks a table or its rows for writes': 'test/faults/writes-in-time.spec.ts',
  'Another session locks a table completely': 'test/faults/writes-in-time.spec.ts',
  'Statements are slow': 'test/faults/writes-in-time.spec.ts',
  'More requests than PostgreSQL can process': 'test/both-databases/overload.spec.ts',
  'The network to PostgreSQL is slow': 'test/faults/writes-in-time.spec.ts',
  'PostgreSQL fails over and loses the last operations on keys': 'src/auth/authentication/key-changes.poller.spec.ts',
  'A migration waits for the lock of a table, such as that of pg_dump': 'test/faults/migrations.spec.ts',
  'Instances start together on an empty database': 'test/faults/postgres-away.spec.ts',
  'Redis is killed, paused, or does not respond within REDIS_TIMEOUT_MS': 'test/e2e/redis.spec.ts',
  'Redis is out of memory, or read-only': 'test/e2e/redis.spec.ts',
  'Redis is flushed, or restarts empty': 'test/e2e/redis.spec.ts',
  'A key in Redis has another type, or the user lacks rights for it': 'src/rate-limit/redis/redis-refusals.spec.ts',
  'Redis loses its scripts': 'test/e2e/redis.spec.ts',
  'Redis is slow by 20 ms': 'src/platform/redis/redis-client.spec.ts',
  'Sentinels choose another Redis': 'src/platform/redis/sentinel.spec.ts',
  'A server of a Redis Cluster is killed or paused': 'src/platform/redis/redis-cluster.spec.ts',
  'Redis is unavailable when an instance starts': 'test/e2e/redis.spec.ts',
  'The event loop of an instance is blocked for a second': 'src/platform/redis/redis-client.away.spec.ts',
  'Another process holds the write lock of SQLite': 'test/e2e/failing.spec.ts',
  'The file of SQLite is moved or deleted': 'test/e2e/failing.spec.ts',
  'SQLite cannot write, such as on a full disk': 'test/e2e/failing.spec.ts',
  'A second service starts on a file of SQLite': 'test/processes/sqlite-file.spec.ts',
  'An instance is killed': 'test/processes/crash-fuzz.spec.ts',
  'An instance hangs': 'test/faults/postgres-away.spec.ts',
  'An unhandled error occurs in an instance': 'test/e2e/stopping.spec.ts',
  'Instances are restarted one after the other': 'test/faults/postgres-away.spec.ts',
  'A transaction of an extension does not end': 'test/e2e/rolled-back-work.spec.ts',
  'The reader of the log stalls': 'test/processes/stalled-reader.spec.ts',
  'Clients send broken or endless requests on thousands of connections': 'test/faults/rude-clients.spec.ts',
};

const problems = page('docs/operating.md')
  .table('Problem', 'Errors for clients')
  .map(([problem = '']) => problem);

describe('the problems that the manual describes', () => {
  it('are those that tests cause', () => {
    expect(Object.keys(SHOWN_BY).toSorted()).toEqual(problems.toSorted());
    expect(Object.values(SHOWN_BY).filter((file) => !existsSync(join(HOME, file)))).toEqual([]);
  });
});
