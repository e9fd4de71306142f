import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { OpenAPIObject } from '@nestjs/swagger';
import { VERSION } from '../../src/platform/config/env.js';
import { startTestApp } from '../../src/testing/test-app.js';
import { contractChanges } from './contract-changes.js';
import { fetchDocument } from './document.js';

const HOME = join(import.meta.dirname, '../..');
const HISTORY = join(import.meta.dirname, 'history');
export const PAGE = join(HOME, 'docs/changes.md');

const HEAD = `# Changes

Changes to the API, by version of the service (\`x-service-version\` of the OpenAPI document). \`/docs/changes.atom\` is a feed of this page. [Lifecycle](lifecycle.md#notice) says how early changes are announced.`;

interface Version {
  readonly name: string;
  readonly document: OpenAPIObject;
}

/** The released documents without descriptions and examples, oldest first. */
export function history(): Version[] {
  const names = readdirSync(HISTORY).map((file) => file.replace('.json', ''));
  return names
    .toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }))
    .map((name) => ({
      name,
      document: JSON.parse(readFileSync(join(HISTORY, `${name}.json`), 'utf8')) as OpenAPIObject,
    }));
}

/** docs/changes.md as it should be, newest version first. */
export function changesPage(released: readonly Version[], current: OpenAPIObject): string {
  const changelog = readFileSync(join(HOME, 'CHANGELOG.md'), 'utf8');
  const dates = new Map(Array.from(changelog.matchAll(/^## \[([\d.]+)\] - (.*)$/gm), ([, name, date]) => [name, date]));
  const sections = released.map(({ name, document }, index) =>
    section(`${name} (${dates.get(name)})`, released[index - 1]?.document, document),
  );
  const next = section('Next version', released.at(-1)?.document, bare(current) as OpenAPIObject);
  const shown = next.includes('No changes.') ? sections : [...sections, next];
  return `${[HEAD, ...shown.toReversed()].join('\n\n')}\n`;
}

function section(title: string, before: OpenAPIObject | undefined, now: OpenAPIObject): string {
  if (before === undefined) return `## ${title}\n\nThe first version.`;
  const { added, broken } = contractChanges(before, now);
  const parts = [
    ...added.map((line) => `- ${line}`),
    ...(broken.length === 0 ? [] : ['\nPotentially breaking changes:\n', ...broken.map((line) => `- ${line}`)]),
  ];
  return `## ${title}\n\n${parts.length === 0 ? 'No changes.' : parts.join('\n').trim()}`;
}

/** Names of anything, also of what has the name of an annotation. */
const MAPS = new Set(['properties', 'schemas', 'headers', 'parameters', 'responses', 'paths', 'webhooks']);
const LEFT_OUT = new Set(['description', 'example', 'examples', 'title', 'info', 'servers', 'externalDocs']);

/** A document as the history keeps it. */
export function bare(part: unknown, isMap = false): unknown {
  if (Array.isArray(part)) return part.map((item) => bare(item));
  if (typeof part !== 'object' || part === null) return part;
  const kept = Object.entries(part).filter(([name]) => isMap || !LEFT_OUT.has(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, bare(value, !isMap && MAPS.has(name))]));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const service = await startTestApp();
  const current = await fetchDocument(service);
  await service.stop();
  // A release: `npm version` has changed the version.
  const file = join(HISTORY, `${VERSION}.json`);
  if (!history().some(({ name }) => name === VERSION)) writeFileSync(file, `${JSON.stringify(bare(current))}\n`);
  writeFileSync(PAGE, changesPage(history(), current));
}
