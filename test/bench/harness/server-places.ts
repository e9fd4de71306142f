import { isInstalled } from '../../support/servers/installed.js';
import { PostgresServer } from '../../support/servers/postgres-server.js';
import { RedisServer } from '../../support/servers/redis-server.js';
import type { Places } from './place.js';

const ORIGINAL = 'seed';

/**
 * Starts a PostgreSQL and a Redis server. Each contender gets a separate database and a separate Redis prefix. Commits
 * wait for the disk.
 */
export async function serverPlaces(): Promise<Places> {
  const absent = (['postgres', 'redis-server'] as const).filter((program) => !isInstalled(program));
  if (absent.length > 0) throw new Error(`Install ${absent.join(' and ')}, or leave out --on.`);
  const [postgres, redis] = await Promise.all([PostgresServer.start(), RedisServer.start()]);
  const envOf = (name: string, url: string) => ({ DATABASE_URL: url, REDIS_URL: redis.url, REDIS_PREFIX: `${name}:` });
  let copies = 0;
  return {
    original: envOf(ORIGINAL, await postgres.createDatabase(ORIGINAL)),
    run: async (sql) => {
      await postgres.query(sql, ORIGINAL);
      await postgres.query(`SELECT setval(pg_get_serial_sequence('pets', 'id'), max(id)) FROM pets`, ORIGINAL);
      await postgres.query('VACUUM ANALYZE', ORIGINAL);
    },
    copy: async () => {
      const name = `copy_${(copies += 1)}`;
      await postgres.query(`CREATE DATABASE ${name} TEMPLATE ${ORIGINAL}`);
      return {
        env: envOf(name, postgres.url(name)),
        remove: async () => {
          await postgres.query(`DROP DATABASE ${name} WITH (FORCE)`);
        },
      };
    },
    remove: async () => {
      await Promise.all([postgres.stop(), redis.stop()]);
    },
  };
}
