import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
import { load, loadAll } from 'js-yaml';
import { loadEnv } from '../../src/platform/config/load-env.js';
import { describeWhere, describeWith } from '../support/describe-with.js';
import { Folders } from '../support/folders.js';
import { hasVenv, PythonEnvironment } from '../support/python.js';
import { HOME } from './image.js';

const KUBERNETES = join(HOME, 'docker/kubernetes');
const UNIT = join(HOME, 'docker/systemd/petstore@.service');
const VALIDATOR = 'kubernetes-validate==1.37.0';
/** The oldest version that has a `sleep` before the end of a container by default. */
const OLDEST_KUBERNETES = '1.30.0';
const INSTALL_LIMIT_MS = 600_000;

const run = promisify(execFile);
const folders = new Folders();
afterAll(() => folders.remove());

const manifests = readdirSync(KUBERNETES).filter((name) => name !== 'kustomization.yaml');
const textOf = (name: string) => readFileSync(join(KUBERNETES, name), 'utf8');

interface Manifest {
  readonly kind: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
}

describe('the configuration for Kubernetes', () => {
  it('has only settings that the service accepts', () => {
    const all = manifests.flatMap((name) => loadAll(textOf(name)) as Manifest[]);
    const given = Object.assign({}, ...all.flatMap(({ data, stringData }) => [data, stringData])) as Record<
      string,
      string
    >;
    expect(Object.keys(given)).toContain('DATABASE_URL');
    const env = loadEnv(given);
    expect(Object.keys(given).filter((name) => !(name in env))).toEqual([]);
  });

  it('applies every manifest but the example of a secret', () => {
    const { resources } = load(textOf('kustomization.yaml')) as { resources: string[] };
    expect([...resources, 'secret.example.yaml'].toSorted()).toEqual(manifests);
  });
});

describeWhere(hasVenv, 'python3 with venv')('the manifests for Kubernetes', () => {
  it(
    'are valid by the schemas of its API',
    async () => {
      const python = await PythonEnvironment.make(folders.make(), VALIDATOR);
      const options = ['--strict', '--kubernetes-version', OLDEST_KUBERNETES];
      const files = manifests.map((name) => join(KUBERNETES, name));
      expect(
        (await python.run('kubernetes-validate', [...options, ...files])).match(/ passed for resource /g)?.length,
      ).toBeGreaterThanOrEqual(manifests.length);
    },
    INSTALL_LIMIT_MS,
  );
});

describeWith('systemd-analyze', '--version')('the unit for systemd', () => {
  it('is valid', async () => {
    expect(await run('systemd-analyze', ['verify', UNIT])).toMatchObject({ stderr: '' });
  });

  it('is exposed little, by the measure of systemd', async () => {
    const { stdout } = await run('systemd-analyze', ['security', '--offline=true', '--threshold=20', UNIT]);
    expect(stdout).toContain('OK');
  });
});
