import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { OpenAPIObject, OperationObject } from '@nestjs/swagger';
import { errorObject, problem, ERROR_CODES, type ErrorCode } from '../../platform/errors/error-codes.js';
import type { Env } from '../../platform/config/env.js';
import { CHANGES } from './changes-feed.js';
import { ASSETS, renderPage } from './page.js';

/** A heading of a guide with what follows it, as the build has rendered it from `docs/`. */
interface Section extends Readonly<Record<'id' | 'title' | 'html' | 'text', string>> {
  /** 1 for the title, which comes first, 2 for a section. */
  readonly depth: number;
}

export interface Guide {
  readonly name: string;
  /** Its source, with links to other guides as `errors.md#code`. */
  readonly markdown: string;
  readonly sections: readonly Section[];
}

export const PACKAGE_FOLDER = dirname(createRequire(import.meta.url).resolve('petstore-service/package.json'));

/** The address in `docs/`. Without BASE_URL, the script of the pages replaces it with that of the reader. */
const EXAMPLE_URL = 'http://localhost:3000/v1';

/** Other words that readers search for, by the name of a guide or the method of an operation. */
const SYNONYMS: Readonly<Record<string, string>> = {
  paging: 'pagination cursor offset',
  limits: 'throttling quota',
  authentication: 'login token credentials',
  post: 'add new insert',
  patch: 'edit update modify',
  delete: 'remove',
};

/** An example key or its mask, not the prefix alone, which some sentences explain. */
const EXAMPLE_KEY = /psk_live_(?=\w*(?:\.{3}|…))/g;

/** Where the API is for clients on this machine. */
export function localAddress({ PORT }: Env): string {
  return EXAMPLE_URL.replace('3000', String(PORT));
}

/** Reads the guides in reading order, with the address and the keys of this service. */
export function readGuides(env: Env): Guide[] {
  const address = env.BASE_URL ?? localAddress(env);
  const text = readFileSync(join(PACKAGE_FOLDER, 'dist/guides.json'), 'utf8').replaceAll(EXAMPLE_URL, address);
  return JSON.parse(env.ENVIRONMENT === 'staging' ? text.replaceAll(EXAMPLE_KEY, 'psk_test_') : text) as Guide[];
}

export function titleOf({ sections }: Guide): string {
  return sections[0]?.title ?? '';
}

export function guidePage(guide: Guide, guides: readonly Guide[], document: OpenAPIObject): string {
  const examples = guide.name === 'errors' ? errorExamples(document) : new Map<string, object>();
  // Errors of extensions have no text.
  const own = [...examples.keys()].filter((code) => !(code in ERROR_CODES));
  const ofExtensions = own.map((code): Section => ({ id: code, depth: 3, title: code, html: '', text: '' }));
  return renderPage({
    title: `${titleOf(guide)} · Pet Store Service`,
    name: 'Guides',
    base: './',
    head: `
  <link rel="stylesheet" href="./${ASSETS}guides/guides.css">
  <link rel="alternate" type="text/markdown" href="./${guide.name}.md">
  <link rel="alternate" type="application/atom+xml" title="Changes to the API" href="./${CHANGES}.atom">
  <script src="./${ASSETS}guides/guides.js" type="module"></script>`,
    body: `
  <div class="guide">
    <details class="side" tabindex="0">
      <summary>All guides</summary>
      <nav aria-label="Guides">
        <ul>
          ${guides.map((one) => sideEntry(one, guide)).join('\n          ')}
        </ul>
      </nav>
    </details>
    <main id="content" tabindex="-1">
      ${[...guide.sections, ...ofExtensions].map((section) => sectionHtml(section, examples.get(section.id))).join('\n      ')}
      ${neighbours(guide, guides)}
    </main>
  </div>`,
  });
}

/** All sections of guides, and all operations with their scopes and parameters. `terms` are other words that find them. */
export function searchIndex(guides: readonly Guide[], { paths, components }: OpenAPIObject) {
  const sections = guides.flatMap((guide) =>
    guide.sections.map(({ id, depth, title, text }) => ({
      title,
      place: depth === 1 ? 'Guide' : titleOf(guide),
      href: depth === 1 ? guide.name : `${guide.name}#${id}`,
      text,
      // The first sentence of a guide says what it is about.
      terms: depth === 1 ? `${guide.name} ${SYNONYMS[guide.name] ?? ''} ${text.split('. ')[0]}` : guide.name,
    })),
  );
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, OperationObject>).map(([method, operation]) => {
      const { operationId = '', tags: [tag = ''] = [], summary = '', description = '', parameters = [] } = operation;
      const scopes = (operation.security ?? []).flatMap((requirement) => Object.values(requirement).flat());
      const names = parameters.map((parameter) => {
        if (!('$ref' in parameter)) return parameter.name;
        const shared = components?.parameters?.[parameter.$ref.replace(/.*\//, '')];
        return shared !== undefined && 'name' in shared ? shared.name : '';
      });
      return {
        title: summary,
        place: `${method.toUpperCase()} ${path}`,
        href: `../docs#/${encodeURIComponent(tag)}/${operationId}`,
        // Without the code, bold text and links of Markdown.
        text: description.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/`|\*\*/g, ''),
        terms: [operationId, SYNONYMS[method], ...scopes, ...names].join(' '),
      };
    }),
  );
  return [...operations, ...sections];
}

function sideEntry(entry: Guide, { name }: Guide): string {
  if (entry.name !== name) return `<li><a href="${entry.name}">${titleOf(entry)}</a></li>`;
  const sections = entry.sections.filter(({ depth }) => depth === 2);
  const inner = sections.map(({ id, title }) => `<li><a href="#${id}">${title}</a></li>`).join('');
  return `<li><a href="${name}" aria-current="page">${titleOf(entry)}</a>${inner === '' ? '' : `<ul tabindex="0" aria-label="Sections of this guide">${inner}</ul>`}</li>`;
}

function sectionHtml({ id, depth, title, html }: Section, example: object | undefined): string {
  const heading = depth === 1 ? title : `<a href="#${id}">${title}</a>`;
  const section = `<h${depth} id="${id}">${heading}</h${depth}>\n${html}`;
  if (example === undefined) return section;
  const escaped = JSON.stringify(example, undefined, 2).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `${section}<pre tabindex="0" data-language="json"><code>${escaped}</code></pre>`;
}

function neighbours(guide: Guide, guides: readonly Guide[]): string {
  const at = guides.indexOf(guide);
  const link = (to: Guide | undefined, word: string, rel: string) =>
    to === undefined ? '' : `<a href="${to.name}" rel="${rel}">${word}: ${titleOf(to)}</a>`;
  return `<p class="neighbours">${link(guides[at - 1], 'Previous', 'prev')} ${link(guides[at + 1], 'Next', 'next')}</p>`;
}

/** An example of the Error of each code: as an operation documents it, otherwise with the meaning of the code. */
function errorExamples({ paths, components }: OpenAPIObject): Map<string, object> {
  const found = new Map<string, object>();
  const holders = [components, ...Object.values(paths).flatMap((path) => Object.values(path) as OperationObject[])];
  for (const response of holders.flatMap((holder) => Object.values(holder?.responses ?? {}))) {
    if (response === undefined || !('content' in response)) continue;
    const { example, examples = {} } = response.content?.['application/json'] ?? {};
    const named = Object.values(examples as Record<string, { value?: unknown }>);
    for (const value of [example, ...named.map((one) => one.value)])
      if (isError(value) && !found.has(value.code)) found.set(value.code, value);
  }
  for (const code of Object.keys(ERROR_CODES) as ErrorCode[])
    if (!found.has(code)) found.set(code, errorObject(problem(code, ERROR_CODES[code].meaning)));
  return found;
}

function isError(value: unknown): value is { readonly code: string } {
  return typeof value === 'object' && value !== null && 'code' in value && 'message' in value;
}
