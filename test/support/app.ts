import type { AddressInfo } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { KeysService, type NewKey } from '../../src/auth/index.js';
import { loadEnv } from '../../src/config/index.js';
import { type AppOptions, createApp } from '../../src/configure-app.js';
import { makeFolder, openDatabase, removeDatabase } from './databases.js';

export { FakeClock } from './clock.js';

export interface TestAppOptions extends Omit<AppOptions, 'env'> {
  readonly env?: Record<string, string>;
  /** Folder of the database, for an app that takes over another's; an own one by default. */
  readonly folder?: string;
}

export type TestApp = Awaited<ReturnType<typeof startApp>>;

/** The real application, listening on a free port, on a database of its own. */
export async function startApp({ env = {}, folder, ...options }: TestAppOptions = {}) {
  const home = folder ?? makeFolder();
  const app: NestFastifyApplication = await createApp({
    env: loadEnv({ DATABASE_URL: await openDatabase(home), LOG_LEVEL: 'silent', ...env }),
    ...options,
  });
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  let accounts = 0;

  return {
    app,
    folder: home,
    port,
    origin,
    /** A new key; on an account of its own unless one is named. */
    async key(newKey: Partial<NewKey> = {}): Promise<string> {
      accounts += 1;
      const issued = await app.get(KeysService).createKey({ account: `account ${accounts}`, plan: 'business', ...newKey }, 'test');
      return issued.key;
    },
    /** Sends a request to a path below the service's origin. */
    request(path: string, { key, headers, ...init }: RequestInit & { key?: string; headers?: Record<string, string> } = {}): Promise<Response> {
      const authorization: Record<string, string> = key === undefined ? {} : { Authorization: `Bearer ${key}` };
      return fetch(`${origin}${path}`, { ...init, headers: { ...authorization, ...headers } });
    },
    /** Sends a JSON text as it stands. */
    post(path: string, key: string, body: string): Promise<Response> {
      return this.request(path, { key, method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    },
    async stop({ keepData = false } = {}): Promise<void> {
      await app.close();
      if (!keepData) await removeDatabase(home);
    },
  };
}

/** The rate-limit headers of an answer. */
export function trio({ headers }: Response) {
  const integer = (name: string) => {
    const value = headers.get(name);
    return value !== null && /^[0-9]+$/.test(value) ? Number(value) : value;
  };
  return { limit: integer('x-ratelimit-limit'), remaining: integer('x-ratelimit-remaining'), reset: integer('x-ratelimit-reset') };
}
