import { startTestApp, type TestAppOptions as KitOptions } from '../../src/testing/test-app.js';
import { databaseOf, makeFolder, openDatabase, PATIENT } from './databases.js';

export { FakeClock } from '../../src/testing/fake-clock.js';

export interface TestAppOptions extends Omit<KitOptions, 'database'> {
  /** Folder of the database, for an app that takes over another's; an own one by default. */
  readonly folder?: string;
}

export type TestApp = Awaited<ReturnType<typeof startApp>>;

/** The real application, on a database of the kind that the jest project names. */
export async function startApp({ env = {}, folder = makeFolder(), ...options }: TestAppOptions = {}) {
  await openDatabase(folder);
  const database = databaseOf(folder);
  const service = await startTestApp({ ...options, database, env: { ...PATIENT, ...env } });
  const close = service.stop.bind(service);
  return Object.assign(service, {
    folder,
    async stop({ keepData = false } = {}): Promise<void> {
      await close();
      if (!keepData) await database.remove();
    },
  });
}

/** The rate-limit headers of a response. */
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
