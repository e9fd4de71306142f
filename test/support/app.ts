import { startTestApp, type TestAppOptions as KitOptions } from '../../src/testing/test-app.js';
import { databaseOf, makeFolder, openDatabase, PATIENT } from './databases.js';

export { FakeClock } from '../../src/testing/fake-clock.js';

export interface TestAppOptions extends KitOptions {
  /** Default: that of the folder, on the database type of the jest project. */
  readonly database?: ReturnType<typeof databaseOf>;
  /** Folder of the database, to reuse that of another app. By default each app gets a new one. */
  readonly folder?: string;
}

export type TestApp = Awaited<ReturnType<typeof startApp>>;

/** Starts the real application on the database type of the jest project. */
export async function startApp({ env = {}, folder = makeFolder(), ...options }: TestAppOptions = {}) {
  const own = databaseOf(folder);
  const { database = own } = options;
  if (options.database === undefined) await openDatabase(folder);
  const service = await startTestApp({ ...options, database, env: { ...PATIENT, ...env } });
  // A client in this process is as slow as the machine is busy: it would get 408.
  Object.assign(service.app.getHttpServer(), { headersTimeout: 0, requestTimeout: 0 });
  const close = service.stop.bind(service);
  return Object.assign(service, {
    folder,
    async stop({ keepData = false } = {}): Promise<void> {
      await close();
      if (!keepData) await own.remove();
    },
  });
}

export function trio({ headers }: Response) {
  const integer = (name: string) => {
    const value = headers.get(name);
    return value !== null && /^[0-9]+$/.test(value) ? Number(value) : value;
  };
  return {
    limit: integer('x-ratelimit-limit'),
    remaining: integer('x-ratelimit-remaining'),
    reset: integer('x-ratelimit-reset'),
  };
}
