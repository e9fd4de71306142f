import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Marked, type Token, type Tokens } from 'marked';

/*
 * Renders the guides for clients, pages of `docs/`, for the site of the service: `dist/guides.json`. Part of the build.
 */

/** Names of the pages in reading order. */
const GUIDES = [
  'getting-started',
  'authentication',
  'api',
  'paging',
  'errors',
  'limits',
  'idempotency',
  'conditional-requests',
  'events',
  'webhooks',
  'lifecycle',
  'staging',
  'managing-keys',
  'changes',
];

const ROOT = join(import.meta.dirname, '..');

const markdown = new Marked({
  renderer: {
    // Pages have no HTML.
    html: ({ text }) => escaped(text),
    link({ href, tokens }) {
      return `<a href="${escaped(siteAddress(href))}">${this.parser.parseInline(tokens)}</a>`;
    },
    // Tables scroll sideways on a narrow screen; a keyboard must reach what scrolls.
    table(token) {
      const row = (cells: Tokens.TableCell[], tag: string) =>
        `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`;
      const rows = token.rows.map((cells) => row(cells, 'td')).join('');
      return `<div class="scrolls" tabindex="0"><table><thead>${row(token.header, 'th')}</thead><tbody>${rows}</tbody></table></div>`;
    },
    code: ({ text, lang = '' }) =>
      `<pre tabindex="0" data-language="${escaped(lang)}"><code>${escaped(text)}</code></pre>`,
  },
});

/**
 * A guide links to other guides, as `errors.md#code`, and to the API reference. On the site guides lie side by side, without
 * an extension.
 */
function siteAddress(href: string): string {
  if (/^http:\/\/localhost:3000\/docs\b/.test(href)) return href.replace('http://localhost:3000', '..');
  if (/^https?:|^#/.test(href)) return href;
  const [, name = '', fragment = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  if (!GUIDES.includes(name)) throw new Error(`A guide links to ${href}, which is not on the site.`);
  return name + fragment;
}

function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? '');
}

/** The anchor of a heading, as GitHub makes it. */
function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

/** What a reader sees of a page, for the search. */
function visibleText(html: string): string {
  const characters: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return (
    html
      // Within a sentence a tag is no gap between words; that of a paragraph or a cell is.
      .replaceAll(/<\/?(?:a|code|strong|em)\b[^>]*>/g, '')
      .replaceAll(/<[^>]+>/g, ' ')
      .replaceAll(/&([a-z]+|#39);/g, (entity, name: string) => characters[name] ?? entity)
      .replaceAll(/\s+/g, ' ')
      .trim()
  );
}

/** A guide as Markdown, and in sections, each with its heading; the first one has the title of the page. */
function render(name: string) {
  const source = readFileSync(join(ROOT, 'docs', `${name}.md`), 'utf8');
  const tokens = markdown.lexer(source);
  const sections: { heading: Tokens.Heading; content: Token[] }[] = [];
  for (const token of tokens) {
    if (token.type === 'heading') sections.push({ heading: token as Tokens.Heading, content: [] });
    else sections.at(-1)?.content.push(token);
  }
  return {
    name,
    markdown: source.replaceAll('](http://localhost:3000/docs', '](../docs'),
    sections: sections.map(({ heading: { text, depth }, content }) => {
      const html = markdown.parser(content);
      return { id: anchor(text), depth, title: text.replaceAll('`', ''), html, text: visibleText(html) };
    }),
  };
}

mkdirSync(join(ROOT, 'dist'), { recursive: true });
writeFileSync(join(ROOT, 'dist/guides.json'), JSON.stringify(GUIDES.map(render)));
