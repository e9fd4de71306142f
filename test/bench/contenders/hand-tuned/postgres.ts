import { Redis } from 'ioredis';
import { Pool, types } from 'pg';
import type { Backend } from './backend.js';
import { keyFinder, type KeyRow, SELECT_KEY } from './keys.js';
import { INSERT_PET, type PetRow, SELECT_PETS, toPet } from './statements.js';

/** The same pool size as our service. */
const CONNECTIONS = 10;

/** Names every statement, so that PostgreSQL plans it once per connection. Redis counts the limits. */
export function openPostgres(connectionString: string): Backend {
  // The benchmark's identifiers are small enough for a JavaScript number.
  types.setTypeParser(types.builtins.INT8, Number);
  const pool = new Pool({ connectionString, max: CONNECTIONS });
  const ask = async <Row extends object>(name: string, text: string, values: readonly unknown[]) =>
    (await pool.query<Row>({ name, text, values: [...values] })).rows;
  return {
    findKey: keyFinder(async (sha256) => (await ask<KeyRow>('key', `${SELECT_KEY} $1`, [sha256]))[0]),
    counters: {
      // Sends all commands of one event loop turn together.
      redis: new Redis(process.env['REDIS_URL'] ?? '', { enableAutoPipelining: true }),
      nameSpace: process.env['REDIS_PREFIX'] ?? '',
    },
    pets: {
      list: async (status, after, limit) => {
        const rows =
          status === undefined
            ? await ask<PetRow>('all', `${SELECT_PETS} WHERE id > $1 ORDER BY id LIMIT $2`, [after, limit])
            : await ask<PetRow>('by-status', `${SELECT_PETS} WHERE status = $1 AND id > $2 ORDER BY id LIMIT $3`, [
                status,
                after,
                limit,
              ]);
        return rows.map(toPet);
      },
      get: async (id) => {
        const [row] = await ask<PetRow>('one', `${SELECT_PETS} WHERE id = $1`, [id]);
        return row === undefined ? undefined : toPet(row);
      },
      create: async ({ name, categoryId, status }) => {
        const [row] = await ask<{ id: number }>('insert', `${INSERT_PET} ($1, $2, $3) RETURNING id`, [
          name,
          categoryId,
          status ?? null,
        ]);
        return row?.id ?? 0;
      },
    },
  };
}
