import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeAll, expect, it } from '@jest/globals';
import { describeWhere } from '../support/describe-with.js';
import { shareFolder } from '../support/share-folder.js';
import { until } from '../support/until.js';
import { BUILDER, BuiltImage, type Container } from './built-image.js';
import { INSTALL_LIMIT_MS } from '../support/install-limit.js';

const describeWithBuilder = describeWhere(
  spawnSync('bash', ['-c', BUILDER]).status === 0,
  'root, buildah and debootstrap',
);

const folder = shareFolder();
const running: Container[] = [];
let image: BuiltImage;

async function run(env: Record<string, string> = {}): Promise<Container> {
  const container = await image.run(env);
  running.push(container);
  return container;
}

describeWithBuilder('the image, built for real and run on a read-only file system', () => {
  beforeAll(() => {
    image = BuiltImage.build(folder);
  }, INSTALL_LIMIT_MS);
  afterEach(async () => {
    await Promise.all(running.splice(0).map((container) => container.stop()));
  });

  it('runs as the user node, passes its health check, and exits with 0 on SIGTERM', async () => {
    const container = await run();
    expect(container.uid()).toBe(1000);
    expect((await fetch(`${container.origin}/v1/pets`)).status).toBe(401);
    expect((await fetch(`${container.origin}/docs`)).status).toBe(200);
    expect(() => container.exec('touch', '/petstore/x')).toThrow('Read-only file system');
    const [kind, ...command] = image.config.Healthcheck.Test;
    expect(kind).toBe('CMD');
    expect(() => container.exec(...command)).not.toThrow();
    expect(await container.stop()).toBe(0);
  });

  it('fails its health check if the service is not there', () => {
    expect(() => image.exec({ PORT: '1' }, './health-check.sh')).toThrow('Connection refused');
  });

  it('contains what its bill of materials lists, its licence, and no files of the build', () => {
    const inside = image.packages();
    expect(inside.length).toBeGreaterThan(100);
    expect(image.listedPackages('npm')).toEqual(inside);
    expect(image.listedPackages('deb')).toEqual(image.systemPackages());
    expect(image.listedPackages('generic')).toEqual([`node@${process.versions.node}`]);
    expect(image.files('*.map', '.built', '.tsbuildinfo')).toEqual([]);
    expect(image.text('LICENSE')).toContain('MIT');
    const { version } = JSON.parse(image.text('package.json')) as { version: string };
    expect(image.config.Labels).toMatchObject({
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.licenses': 'MIT',
      'org.opencontainers.image.revision': 'unknown',
    });
  });

  it('has native code for its platform only, and neither C sources nor npm', () => {
    expect(image.files('*.node').map((path) => basename(path))).toEqual([`linux-${process.arch}.node`]);
    expect(image.files('*.c', '*.cpp', '*.h', '*.gyp')).toEqual([]);
    expect(
      ['/usr/local/bin/node', '/usr/local/bin/npm', '/usr/local/lib/node_modules'].filter((path) => image.has(path)),
    ).toEqual(['/usr/local/bin/node']);
  });

  it('starts without pets and keys, stores its data where only its user can read it, and creates keys', async () => {
    const container = await run();
    const files = readdirSync(container.data);
    expect(files).toContain('petstore.sqlite');
    for (const file of files) {
      const { uid, mode } = statSync(join(container.data, file));
      expect([uid, mode & 0o777]).toEqual([1000, 0o600]);
    }
    const create = 'node dist/src/keys.cli.js create --account acme --plan free --json'.split(' ');
    const { key } = JSON.parse(container.exec(...create)) as { key: string };
    const response = await fetch(`${container.origin}/v1/pets`, { headers: { Authorization: `Bearer ${key}` } });
    expect([response.status, await response.json()]).toEqual([200, []]);
    expect(container.output()).not.toContain('psk_');
  });

  it('creates sample pets and a key with SAMPLE_DATA=true', async () => {
    const container = await run({ SAMPLE_DATA: 'true' });
    await until(() => container.output().includes('psk_'));
    expect(container.output()).toMatch(/curl .* http:\/\/localhost:[0-9]+\/v1\/pets\n/);
  });
});
