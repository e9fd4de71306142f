import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { load, loadAll } from 'js-yaml';
import { loadEnv } from '../../src/platform/config/load-env.js';
import { startApp } from '../support/app.js';
import { describeWhere, describeWith } from '../support/describe-with.js';
import { hasVenv, PythonEnvironment } from '../support/python.js';
import { shareFolder } from '../support/share-folder.js';
import { HOME } from './image.js';
import { INSTALL_LIMIT_MS } from '../support/install-limit.js';

const KUBERNETES = join(HOME, 'docker/kubernetes');
const UNIT = join(HOME, 'docker/systemd/petstore@.service');
const VALIDATOR = 'kubernetes-validate==1.37.0';
/** The oldest version that has a `sleep` before the end of a container by default. */
const OLDEST_KUBERNETES = '1.30.0';

const run = promisify(execFile);
const folder = shareFolder();

const manifests = readdirSync(KUBERNETES).filter((name) => name !== 'kustomization.yaml');
const textOf = (name: string) => readFileSync(join(KUBERNETES, name), 'utf8');

interface Ingress {
  readonly spec: {
    readonly rules: readonly { readonly http: { readonly paths: readonly { path: string; pathType: string }[] } }[];
  };
}

interface Deployment {
  readonly spec: {
    readonly template: {
      readonly spec: { readonly containers: readonly { readinessProbe: { httpGet: { path: string } } }[] };
    };
  };
}

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

  it('publishes what the service tells clients of, and no metrics', async () => {
    const service = await startApp();
    const linksOf = async (path: string) =>
      (await (await service.request(path)).text()).match(/(?<=[("])\/[^)"]*/g) ?? ([] as string[]);
    const told = await Promise.all(['/', '/.well-known/api-catalog', '/llms.txt'].map(linksOf));
    await service.stop();
    const [ingress] = loadAll(textOf('ingress.yaml')) as Ingress[];
    const paths = ingress?.spec.rules.flatMap(({ http }) => http.paths) ?? [];
    const isPublic = (wanted: string) =>
      paths.some(({ path, pathType }) => wanted === path || (pathType === 'Prefix' && wanted.startsWith(`${path}/`)));
    const open = ['/', '/.well-known/api-catalog', '/llms.txt', '/favicon.ico', '/v1/pets', ...told.flat()];
    expect(open).toEqual(expect.arrayContaining(['/docs', '/openapi.json', '/llms-full.txt', '/health/ready']));
    expect(open.filter((path) => !isPublic(path))).toEqual([]);
    expect(isPublic('/metrics')).toBe(false);
  });

  it('sends requests to pods that respond, whether they can use the database or not', () => {
    const deployment = load(textOf('deployment.yaml')) as Deployment;
    const [container] = deployment.spec.template.spec.containers;
    expect(container?.readinessProbe.httpGet.path).toBe('/health/live');
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
      const python = await PythonEnvironment.make(folder, VALIDATOR);
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
