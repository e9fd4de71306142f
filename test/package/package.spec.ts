import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SqliteTestDatabase } from '../../src/testing/test-database.js';
import { isInstalled } from '../support/servers/installed.js';
import { PostgresServer } from '../support/servers/postgres-server.js';
import { Installation } from './installation.js';
import { INSTALL_LIMIT_MS } from '../support/install-limit.js';

const installation = new Installation();

async function openSqlite() {
  const database = new SqliteTestDatabase();
  return { url: database.url, remove: () => database.remove() };
}

async function openPostgres() {
  const server = await PostgresServer.start({ fsync: false });
  return { url: await server.createDatabase('petstore'), remove: () => server.stop() };
}

beforeAll(() => {
  installation.install();
  installation.npm(['run', '--silent', 'build']);
}, INSTALL_LIMIT_MS);
afterAll(() => installation.remove());

describe('an extension in its own package, with the packed service', () => {
  it('takes fewer than 300 lines of code', () => {
    const sources = join(import.meta.dirname, 'reviews/src');
    const lines = [...readdirSync(sources).map((name) => join('src', name)), 'ormconfig.ts']
      .flatMap((name) => readFileSync(join(sources, '..', name), 'utf8').split('\n'))
      .filter((line) => !/^\s*($|\/\/|\/?\*)/.test(line));
    expect(lines.length).toBeGreaterThan(200);
    expect(lines.length).toBeLessThan(300);
  });

  it('has a manual whose links work in the package', () => {
    const home = installation.serviceHome;
    const pages = [
      ...readdirSync(home),
      ...readdirSync(join(home, 'docs'), { recursive: true }).map((name) => `docs/${String(name)}`),
    ].filter((name) => name.endsWith('.md'));
    expect(pages).toEqual(expect.arrayContaining(['README.md', 'CHANGELOG.md', 'docs/extending.md']));
    const broken = pages.flatMap((page) => {
      const text = readFileSync(join(home, page), 'utf8').replaceAll(/```[^]*?\n```/g, '');
      const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = '']) => join(dirname(page), path));
      return links.filter((path) => !existsSync(join(home, path))).map((path) => `${page}: ${path}`);
    });
    expect(broken).toEqual([]);
    expect(existsSync(join(home, 'test/package/reviews/src/reviews.service.ts'))).toBe(true);
  });

  it('gets no Node with it', () => {
    const installed = readdirSync(join(installation.serviceHome, '..'));
    expect(installed).toContain('fastify');
    expect(installed.filter((name) => /^node-(linux|bin)|^petstore-node$/.test(name))).toEqual([]);
  });

  it(
    'passes its own tests',
    () => {
      const report = JSON.parse(installation.npm(['test', '--silent', '--', '--json'])) as object;
      expect(report).toMatchObject({ success: true, numTotalTestSuites: 2, numFailedTests: 0, numPendingTests: 0 });
    },
    INSTALL_LIMIT_MS,
  );

  it.each(isInstalled('postgres') ? [openSqlite, openPostgres] : [openSqlite])(
    'migrates a database and runs on it: %p',
    async (open) => {
      const database = await open();
      const env = { DATABASE_URL: database.url, LOG_LEVEL: 'silent' };
      try {
        const migrated = installation.npm(['run', '--silent', 'migrate'], env);
        expect(migrated).toContain('CreateReviews1796083200000 has been executed successfully');
        const create =
          'petstore-keys create --account acme --plan pro --scopes reviews:read --allow-unknown-scope --json';
        const created = installation.npm(['exec', '--offline', '--', ...create.split(' ')], {
          DATABASE_URL: database.url,
        });
        const { key } = JSON.parse(created) as { key: string };
        const response = await installation.whileRunning(env, async (origin) => {
          const listed = await fetch(`${origin}/v1/reviews`, { headers: { Authorization: `Bearer ${key}` } });
          return { status: listed.status, body: await listed.json() };
        });
        expect(response).toEqual({ status: 200, body: [] });
      } finally {
        await database.remove();
      }
    },
    INSTALL_LIMIT_MS,
  );
});
