import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { HOME, page } from './pages.js';

/** The test that causes each problem of the table, by its file and a part of its name. */
const SHOWN_BY: Readonly<Record<string, readonly [file: string, name: string]>> = {
  'PostgreSQL is killed, shut down or paused, or its network is gone': [
    'test/faults/postgres-away.spec.ts',
    'makes requests that need it return 503 in time, keeps known keys admitted, and recovers soon',
  ],
  'PostgreSQL has no free connection': ['test/faults/postgres-away.spec.ts', 'out of connections'],
  'PostgreSQL ends single connections': [
    'test/faults/terminated.spec.ts',
    'survive connections that PostgreSQL terminates at any time, and lose nothing',
  ],
  'PostgreSQL is killed while it writes': ['test/faults/crash.spec.ts', 'of PostgreSQL loses and duplicates no pet'],
  'The disk of PostgreSQL is full': ['test/faults/refused-writes.spec.ts', 'whose disk is full'],
  'PostgreSQL accepts no writes, such as a standby': ['test/faults/refused-writes.spec.ts', 'that accepts no writes'],
  'Another session locks a table or its rows for writes': [
    'test/faults/refused-writes.spec.ts',
    'with a lock that writes wait for',
  ],
  'Another session locks a table completely': [
    'test/faults/locked-table.spec.ts',
    'makes any number of waiting requests return 503 in time, and none after it is unlocked',
  ],
  'Statements are slow': ['test/faults/slow.spec.ts', 'whose statements together take too long returns 503 in time'],
  'More requests than PostgreSQL can process': [
    'test/both-databases/overload.spec.ts',
    'return 503 in time and are not executed later, and readiness responds in time',
  ],
  'The network to PostgreSQL is slow': [
    'test/faults/slow-network.spec.ts',
    'delays a create by one round trip, and fails no request',
  ],
  'PostgreSQL fails over and loses the last operations on keys': [
    'src/auth/authentication/key-changes.poller.spec.ts',
    'after a failover that lost its last records',
  ],
  'A migration waits for the lock of a table, such as that of pg_dump': [
    'test/faults/migrations.spec.ts',
    'let requests pass while they wait for the lock of a table, and go on when it is free',
  ],
  'Instances start together on an empty database': [
    'test/faults/starting.spec.ts',
    'run the migrations once, and all accept requests',
  ],
  'Redis is killed, paused, or does not respond within REDIS_TIMEOUT_MS': [
    'test/faults/redis-away.spec.ts',
    'fails and slows down no request, leaves local limits, and is used again soon after it is back',
  ],
  'Redis is out of memory, or read-only': ['test/faults/redis-away.spec.ts', 'out of memory'],
  'Redis is flushed, or restarts empty': [
    'test/faults/redis-away.spec.ts',
    'begins the window again, without an error and without local counters',
  ],
  'A key in Redis has another type, or the user lacks rights for it': [
    'src/rate-limit/redis/redis-refusals.spec.ts',
    'decides locally on what Redis refuses for one key, and otherwise in Redis',
  ],
  'Redis loses its scripts': ['test/e2e/redis.spec.ts', 'load lost scripts again, and lose no count'],
  'Redis is slow by 20 ms': ['src/platform/redis/redis-client.spec.ts', 'waits for a Redis that is slow by 20 ms'],
  'Sentinels choose another Redis': [
    'src/platform/redis/sentinel.spec.ts',
    'uses the master, and the next one within five seconds of its loss',
  ],
  'Redis is unavailable when an instance starts': [
    'test/e2e/redis.spec.ts',
    'starts, accepts requests, and uses Redis when it is available',
  ],
  'The event loop of an instance is blocked for a second': [
    'src/platform/redis/redis-client.away.spec.ts',
    'uses Redis again soon after the event loop was blocked for a second',
  ],
  'Another process holds the write lock of SQLite': [
    'test/e2e/write-lock.spec.ts',
    'delays a create, which then succeeds, but no read',
  ],
  'The file of SQLite is moved or deleted': [
    'test/e2e/database-failing.spec.ts',
    'known keys are admitted, unknown ones get 503, no write is acknowledged, and the service recovers',
  ],
  'SQLite cannot write, such as on a full disk': [
    'test/e2e/database-failing.spec.ts',
    'makes only creates return 503, with Retry-After and the rate-limit headers, until it recovers',
  ],
  'A second service starts on a file of SQLite': [
    'test/e2e/sqlite-file.spec.ts',
    'does not start, and says which process serves the file',
  ],
  'An instance is killed': ['test/faults/crash.spec.ts', 'of instances loses and duplicates no pet that returned 201'],
  'An instance hangs': ['test/faults/hanging.spec.ts', 'blocks writes of the others briefly, and continues afterwards'],
  'An error that nothing handles occurs in an instance': [
    'test/processes/stopping.spec.ts',
    'after an error that nothing handles answers the requests in progress, and exits with 1',
  ],
  'Instances are restarted one after the other': ['test/faults/rolling-restart.spec.ts', 'fails no request'],
  'A transaction of an extension does not end': [
    'test/e2e/rolled-back-work.spec.ts',
    'and does not block others for long',
  ],
  'The reader of the log stalls': [
    'test/processes/stalled-reader.spec.ts',
    'loses log lines, but delays neither responses nor the shutdown',
  ],
  'Clients send broken or endless requests on thousands of connections': [
    'test/faults/rude-clients.spec.ts',
    'neither end the process nor make it fail, and leave nothing behind',
  ],
};

const problems = page('docs/operating.md')
  .table('Problem', 'Errors for clients')
  .map(([problem = '']) => problem);

describe('the problems that the manual describes', () => {
  it.each(problems)('are caused by a test: %s', (problem) => {
    const [file, name] = SHOWN_BY[problem] ?? [];
    expect(readFileSync(join(HOME, file ?? 'missing'), 'utf8')).toContain(name);
  });

  it('are those that tests cause', () => {
    expect(Object.keys(SHOWN_BY).toSorted()).toEqual(problems.toSorted());
  });
});
