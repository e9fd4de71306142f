import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { OWN_PACKAGE } from './commands.js';
import { HOME, type Page, pages } from './pages.js';

interface Link {
  readonly from: string;
  /** Path in the project. */
  readonly to: string;
  readonly anchor: string | undefined;
}

const text = ({ lines }: Page) => lines.join('\n').replaceAll(/```[^]*?\n```/g, '');

const links = [...pages.values()].flatMap((page): Link[] =>
  [...text(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)].map(([, path = '', anchor]) => ({
    from: page.path,
    to: path === '' ? page.path : normalize(join(dirname(page.path), path)),
    anchor,
  })),
);

/** GitHub's anchors for the headings. */
const anchorsOf = ({ lines }: Page) =>
  lines
    .filter((line) => /^#+ /.test(line))
    .map((line) =>
      line
        .replace(/^#+ /, '')
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    );

const isAnchor = ({ to, anchor }: Link) => {
  const target = pages.get(to);
  return anchor === undefined || (target !== undefined && anchorsOf(target).includes(anchor));
};

describe('the links of the manual', () => {
  it('lead to files that exist', () => {
    expect(links.length).toBeGreaterThan(50);
    expect(links.filter(({ to }) => !existsSync(join(HOME, to)))).toEqual([]);
  });

  it('stand beside paths that exist', () => {
    // Those of a package of one's own are in another folder.
    const ours = [...pages.values()].filter(({ path }) => path !== OWN_PACKAGE);
    const paths = ours.flatMap((page) =>
      [...text(page).matchAll(/`((?:src|test|docs|docker)\/[^`]*)`/g)].map(([, path = '']) => path),
    );
    expect(paths).toContain('src/platform/errors/error-codes.ts');
    expect(paths.filter((path) => !existsSync(join(HOME, path)))).toEqual([]);
  });

  it('lead to headings that exist', () => {
    expect(links.filter(({ anchor }) => anchor !== undefined).length).toBeGreaterThan(10);
    expect(links.filter((link) => !isAnchor(link))).toEqual([]);
  });

  it('lead to every page', () => {
    const reached = new Set(links.filter(({ from, to }) => from !== to).map(({ to }) => to));
    const unreached = [...pages.keys()].filter((path) => path !== 'README.md' && !reached.has(path));
    expect(unreached).toEqual([]);
  });
});

describe('the README', () => {
  it('has at most 200 lines', () => {
    expect(pages.get('README.md')?.lines.length).toBeLessThanOrEqual(200);
  });
});
