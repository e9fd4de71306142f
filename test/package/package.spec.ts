import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SqliteTestDatabase } from '../../src/testing/test-database.js';
import { importedPackages } from '../support/imported-packages.js';
import { freePort } from '../support/servers/free-port.js';
import { isInstalled } from '../support/servers/installed.js';
import { PostgresServer } from '../support/servers/postgres-server.js';
import { INSTALL_LIMIT_MS } from '../support/install-limit.js';
import { EmptyFolder } from './empty-folder.js';
import { type Manifest, read } from './packing.js';

/** Has the package of the reviews, and the service from a tarball. */
const folder = new EmptyFolder();
const serviceHome = join(folder.folder, 'node_modules/petstore-service');

async function openSqlite() {
  const database = new SqliteTestDatabase();
  return { url: database.url, remove: () => database.remove() };
}

async function openPostgres() {
  const server = await PostgresServer.start({ fsync: false });
  return { url: await server.createDatabase('petstore'), remove: () => server.stop() };
}

beforeAll(async () => {
  cpSync(join(import.meta.dirname, 'reviews'), folder.folder, { recursive: true });
  const { peerDependencies, ...reviews } = read<Manifest>(join(folder.folder, 'package.json'));
  const dependencies = { ...peerDependencies, 'petstore-service': `file:${folder.tarball}` };
  folder.write('package.json', JSON.stringify({ ...reviews, dependencies }));
  folder.lock();
  await folder.run('npm install --no-audit --silent');
  await folder.run('npm run --silent build');
}, INSTALL_LIMIT_MS);
afterAll(() => folder.remove());

describe('an extension in its own package, with the packed service', () => {
  it('takes fewer than 300 lines of code', () => {
    const sources = join(import.meta.dirname, 'reviews/src');
    const lines = [...readdirSync(sources).map((name) => join('src', name)), 'ormconfig.ts']
      .flatMap((name) => readFileSync(join(sources, '..', name), 'utf8').split('\n'))
      .filter((line) => !/^\s*($|\/\/|\/?\*)/.test(line));
    expect(lines.length).toBeGreaterThan(200);
    expect(lines.length).toBeLessThan(300);
  });

  it('declares the packages that it imports', () => {
    const home = join(import.meta.dirname, 'reviews');
    const sources = readdirSync(home, { recursive: true }).map(String);
    const texts = sources.filter((path) => path.endsWith('.ts')).map((path) => readFileSync(join(home, path), 'utf8'));
    const { peerDependencies, devDependencies } = read<Manifest>(join(home, 'package.json'));
    const declared = Object.keys({ ...peerDependencies, ...devDependencies });
    const imported = importedPackages(texts.join('\n'));
    expect(imported).toContain('fastify');
    expect(imported.filter((name) => !declared.includes(name))).toEqual([]);
  });

  it('has a manual whose links work in the package', () => {
    const home = serviceHome;
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
    const installed = readdirSync(join(serviceHome, '..'));
    expect(installed).toContain('fastify');
    expect(installed.filter((name) => /^node-(linux|bin)|^petstore-node$/.test(name))).toEqual([]);
  });

  it(
    'passes its own tests',
    async () => {
      await folder.run('npm test --silent -- --json --outputFile=report.json');
      const report = read<object>(join(folder.folder, 'report.json'));
      expect(report).toMatchObject({ success: true, numTotalTestSuites: 2, numFailedTests: 0, numPendingTests: 0 });
    },
    INSTALL_LIMIT_MS,
  );

  it.each(isInstalled('postgres') ? [openSqlite, openPostgres] : [openSqlite])(
    'migrates a database and runs on it: %p',
    async (open) => {
      const database = await open();
      folder.set('DATABASE_URL', database.url);
      folder.set('LOG_LEVEL', 'silent');
      try {
        expect(await folder.run('npm run --silent migrate')).toContain(
          'CreateReviews1796083200000 has been executed successfully',
        );
        const options = '--account acme --plan pro --scopes reviews:read --allow-unknown-scope --json';
        const [key] = /psk_live_\w+/.exec(await folder.run(`npx --offline petstore-keys create ${options}`)) ?? [];
        const port = await freePort();
        const service = await folder.serve('npm start', port);
        const headers = { Authorization: `Bearer ${key}` };
        const listed = await fetch(`http://127.0.0.1:${port}/v1/reviews`, { headers })
          .then(async (response) => [response.status, await response.json()])
          .finally(() => service.stop());
        expect(listed).toEqual([200, []]);
      } finally {
        await database.remove();
      }
    },
    INSTALL_LIMIT_MS,
  );
});
