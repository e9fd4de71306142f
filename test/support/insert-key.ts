import { randomUUID } from 'node:crypto';
import Sqlite from 'sqlite-driver';
import type { NewKey } from '../../src/accounts/keys/key-options.js';
import { generateApiKey, hashApiKey, maskApiKey } from '../../src/auth/keys/api-key-format.js';
import { DEFAULT_SCOPES } from '../../src/auth/keys/scopes.js';
import { queryOnce } from '../../src/testing/query-once.js';
import { AMPLE } from './temporary.js';

/*
 * Keys for tests of processes. A run of the command line takes longer, and so does loading the service into the test.
 */

export type Terms = Pick<NewKey, 'plan' | 'perMinute' | 'perDay'>;

/**
 * Inserts a key into a database that a service has migrated.
 * @param url value of DATABASE_URL; for SQLite with an absolute path
 */
export async function insertKey(url: string, account = 'ample', { plan, perMinute, perDay }: Terms = AMPLE) {
  const key = generateApiKey('live');
  const id = `key_${randomUUID().replaceAll('-', '').slice(0, 16)}`;
  const sql = `
    INSERT INTO "accounts" ("name", "plan", "per_minute", "per_day", "created_at")
    VALUES ('${account}', '${plan}', ${perMinute ?? null}, ${perDay ?? null}, 0) ON CONFLICT ("name") DO NOTHING;
    INSERT INTO "api_keys" ("id", "account_id", "sha256", "masked", "scopes", "created_at")
    SELECT '${id}', "id", '${hashApiKey(key)}', '${maskApiKey(key)}', '${DEFAULT_SCOPES.join(' ')}', 0
    FROM "accounts" WHERE "name" = '${account}'`;
  if (url.startsWith('sqlite:')) new Sqlite(url.slice('sqlite:'.length), { timeout: 60_000 }).exec(sql).close();
  else await queryOnce(url, sql);
  return { id, key };
}
