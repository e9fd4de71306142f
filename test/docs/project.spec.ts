import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { Env } from '../../src/platform/config/env.js';
import { loadEnv } from '../../src/platform/config/load-env.js';
import { HOME, page } from './pages.js';

const textOf = (path: string) => readFileSync(join(HOME, path), 'utf8');
const { version, engines } = JSON.parse(textOf('package.json')) as { version: string; engines: { node: string } };

describe('the version', () => {
  it('is the same in package.json, its lockfile and the changelog', () => {
    const { version: locked, packages } = JSON.parse(textOf('package-lock.json')) as {
      version: string;
      packages: Record<string, { version: string }>;
    };
    const logged = page('CHANGELOG.md').lines.flatMap((line) => /^## \[(\d[^\]]*)\]/.exec(line)?.[1] ?? []);
    expect([locked, packages['']?.version, logged[0]]).toEqual([version, version, version]);
    expect(logged).toContain('1.0.0');
  });

  it('is that of the image, its deployment and the example of its health', () => {
    expect(textOf('docker/Dockerfile')).toContain(`image.version="${version}"`);
    expect(textOf('docker/kubernetes/kustomization.yaml')).toContain(`newTag: ${version}\n`);
    expect(textOf('docs/operating.md')).toContain(`{"status":"live","version":"${version}"}`);
  });

  it('is that of the file that teams install', () => {
    const names = textOf('docs/your-own-package.md').match(/petstore-service-[\w.-]+\.tgz/g);
    expect([...new Set(names)]).toEqual([`petstore-service-${version}.tgz`]);
  });

  it('is that of SECURITY.md, to the minor version', () => {
    const supported = page('SECURITY.md').table('Version', 'Supported');
    expect(supported.filter(([, answer]) => answer === 'yes')).toEqual([[version.replace(/\.\d+$/, ''), 'yes']]);
  });
});

describe('.nvmrc', () => {
  it('names a Node.js that package.json accepts', () => {
    expect(engines.node).toContain(`>=${textOf('.nvmrc').trim()}.`);
  });
});

describe('.env.example', () => {
  const given = Object.fromEntries(
    textOf('.env.example')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.split(/=(.*)/) as [string, string]),
  );

  it('has every setting of the manual', () => {
    const listed = page('docs/configuration.md').table('Variable', 'Default');
    expect(Object.keys(given)).toEqual(listed.map(([name]) => name));
  });

  it('has the defaults', () => {
    expect(loadEnv(given)).toEqual(new Env());
  });
});

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert?: string; readonly annotations?: { readonly runbook_url?: string } }[];
  }[];
}

describe('the runbook', () => {
  const { groups } = load(textOf('docker/observability/rules.yml')) as Rules;
  const alerts = groups.flatMap(({ rules }) => rules.filter(({ alert }) => alert !== undefined));
  const sections = textOf('docs/runbook.md')
    .split(/^#{2,3} /m)
    .filter((section) => section.startsWith('Petstore'));

  it('has a section for each alert, which the alert names', () => {
    const titles = sections.map((section) => section.split('\n', 1)[0]);
    expect(titles.toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted());
    const links = alerts.map(({ alert = '' }) => `docs/runbook.md#${alert.toLowerCase()}`);
    expect(alerts.map(({ annotations }) => annotations?.runbook_url)).toEqual(links);
  });

  it('says for each alert what it means, what to look at, and what to do', () => {
    const parts = sections.map((section) => [...section.matchAll(/^\*\*(Meaning\.|Look at|Do:?)\*\* /gm)].length);
    expect(parts).toEqual(sections.map(() => 3));
  });
});
