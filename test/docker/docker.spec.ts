import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { load, YAML11_SCHEMA } from 'js-yaml';
import { loadEnv } from '../../src/platform/config/load-env.js';
import { shareFolder } from '../support/share-folder.js';
import { HOME } from './image.js';

const folder = shareFolder();

const textOf = (name: string) => readFileSync(join(HOME, 'docker', name), 'utf8');

describe('the ignore file', () => {
  const patterns = textOf('Dockerfile.dockerignore')
    .split('\n')
    .filter((line) => line !== '');

  /** The last pattern that matches the path or a parent folder wins. */
  const isIgnored = (path: string) => {
    const names = path.split('/');
    const above = names.map((_, index) => names.slice(0, index + 1).join('/'));
    // Docker's `*` also matches names that start with a dot.
    const matches = (glob: string) => glob === '*' || above.some((one) => matchesGlob(one, glob));
    return patterns.findLast((pattern) => matches(pattern.replace(/^!/, '')))?.startsWith('!') === false;
  };

  it('excludes files that the image does not need', () => {
    const paths = [
      '.git/config',
      '.env',
      'README.md',
      'data/petstore.sqlite',
      'node_modules/jest/index.js',
      'src/http/addresses.spec.ts',
      'test/docker/image.ts',
      'docker/secrets/database_url',
    ];
    expect(paths.filter((path) => !isIgnored(path))).toEqual([]);
    expect(['package.json', '.npmrc', 'src', 'src/main.ts', 'src/keys.cli.ts'].filter(isIgnored)).toEqual([]);
  });
});

describe('the images', () => {
  it.each(['docker/Dockerfile', 'scaffold/extension/Dockerfile'])('can be read by their user: %s', (name) => {
    const copied =
      readFileSync(join(HOME, name), 'utf8')
        .split(/^FROM .*/m)
        .at(-1)
        ?.match(/^COPY .*/gm) ?? [];
    // What the build makes has the rights of its umask, and all else those of a checkout that others may not read.
    const others = copied.filter((line) => !/ \/build\/(node_modules|dist|data) /.test(line));
    expect(others).not.toEqual([]);
    expect(others.filter((line) => !line.includes(' --chmod='))).toEqual([]);
  });
});

interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

interface ComposeService {
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly secrets?: readonly string[];
  readonly [key: string]: unknown;
}

describe('compose.yaml', () => {
  const { services, secrets } = load(textOf('compose.yaml'), { schema: YAML11_SCHEMA }) as ComposeFile;

  function secretsIn(name: string) {
    const at = join(folder, name);
    mkdirSync(at);
    const script = join(at, 'create-secrets.sh');
    cpSync(join(HOME, 'docker/create-secrets.sh'), script);
    const read = (secret: string) => readFileSync(join(at, secrets[secret]?.file ?? ''), 'utf8');
    const all = () => Object.fromEntries(Object.keys(secrets).map((secret) => [secret, read(secret)]));
    return { at, script, read, all, create: () => execFileSync(script) };
  }

  it('gives the service only settings that it accepts, with the secrets that the script creates', () => {
    const { at, read, create } = secretsIn('compose');
    create();
    const given = Object.entries(services['service']?.environment ?? {}).map(
      ([name, value]) => [name, value.replace('/run/secrets/', `${at}/secrets/`)] as const,
    );
    const env = loadEnv(Object.fromEntries(given));
    expect(given.filter(([name]) => !(name.replace(/_FILE$/, '') in env))).toEqual([]);
    expect(new URL(env.DATABASE_URL ?? '').password).toBe(read('database_password'));
    expect(read('redis.conf')).toBe(`requirepass ${new URL(env.REDIS_URL ?? '').password}`);
    expect(read('database_password')).toMatch(/^[0-9a-f]{48}$/);
    expect(statSync(join(at, 'secrets')).mode & 0o777).toBe(0o700);
  });

  it('completes the secrets of a run that found no space or was interrupted, and keeps those that it created', () => {
    const { at, script, read, all, create } = secretsIn('interrupted');
    expect(() => execFileSync('sh', ['-c', 'ulimit -f 0; exec "$0"', script], { stdio: 'ignore' })).toThrow(
      'Command failed',
    );
    create();
    const created = all();
    expect(Object.values(created)).not.toContain('');
    for (const each of ['database_url', 'redis.conf', 'redis_url', 'webhook_key', 'grafana_password'])
      rmSync(join(at, 'secrets', each));
    create();
    expect(read('database_url')).toBe(created['database_url']);
    const completed = all();
    create();
    expect(all()).toEqual(completed);
  });

  it('gives as many instances as the proxy knows their connections to PostgreSQL', () => {
    const [, instances] = /server-template instance (\d+) /.exec(textOf('haproxy.cfg')) ?? [];
    const [, most] = /max_connections=(\d+)/.exec(String(services['database']?.['command'])) ?? [];
    const { DATABASE_POOL_SIZE: ofPool } = loadEnv({});
    // Readiness has one more, a command line has as many, and three are for superusers.
    expect(Number(most)).toBeGreaterThanOrEqual(Number(instances) * (ofPool + 1) + ofPool + 1 + 3);
  });

  it('publishes only the proxy, and Grafana on this machine only', () => {
    expect(Object.keys(services).filter((name) => services[name]?.ports !== undefined)).toEqual(['proxy', 'grafana']);
    expect(services['grafana']?.ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:/)]);
  });

  it.each(Object.keys(services))('restricts %s', (name) => {
    expect(services[name]).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      logging: { driver: 'local', options: { 'max-size': '10m' } },
      deploy: {
        resources: { limits: { cpus: expect.any(String), memory: expect.any(String), pids: expect.any(Number) } },
      },
    });
    for (const secret of services[name]?.secrets ?? []) expect(secrets).toHaveProperty([secret]);
  });
});
