import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const HOME = resolve(import.meta.dirname, '../..');

interface Block {
  readonly language: string;
  readonly text: string;
  /** From a line directly above the block: `path`: */
  readonly path: string | undefined;
  /** The last line of text before the block. */
  readonly intro: string;
}

export class Page {
  readonly lines: readonly string[];
  readonly blocks: readonly Block[];

  /** @param path in the project */
  constructor(readonly path: string) {
    this.lines = readFileSync(join(HOME, path), 'utf8').split('\n');
    this.blocks = readBlocks(this.lines);
  }

  /** Returns the commands of all shell blocks in order. A command with backslash continuations counts as one. */
  get commands(): string[] {
    return this.blocks.filter(({ language }) => language === 'sh').flatMap(commandsOf);
  }

  /** Returns the body rows of all tables whose header starts with these cells. Cells have no backquotes. */
  table(...head: string[]): string[][] {
    const rows = this.lines.flatMap((line, at) => {
      if (!line.startsWith(`| ${head.join(' | ')} |`)) return [];
      const rest = this.lines.slice(at + 2);
      const end = rest.findIndex((after) => !after.startsWith('|'));
      return rest.slice(0, end).map(cells);
    });
    if (rows.length === 0) throw new Error(`${this.path} has no table with the head ${head.join(', ')}`);
    return rows;
  }
}

export const pages: ReadonlyMap<string, Page> = new Map(
  [...markdownIn('.'), ...markdownIn('docs'), ...markdownIn('docs/decisions'), 'test/bench/README.md'].map((path) => [
    path,
    new Page(path),
  ]),
);

export function page(path: string): Page {
  const found = pages.get(path);
  if (found === undefined) throw new Error(`There is no page ${path}`);
  return found;
}

export const files: ReadonlyMap<string, string> = new Map(
  [...pages.values()].flatMap(({ blocks }) =>
    blocks.flatMap(({ path, text }) => (path === undefined ? [] : [[path, `${text}\n`] as const])),
  ),
);

export function commandsOf({ text }: Block): string[] {
  return text.replaceAll(/\\\n\s*/g, '').split('\n');
}

function markdownIn(folder: string): string[] {
  return readdirSync(join(HOME, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
}

function cells(row: string): string[] {
  return row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('`', ''));
}

function readBlocks(lines: readonly string[]): Block[] {
  const found: Block[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const language = /^```(\w+)$/.exec(lines[at] ?? '')?.[1];
    if (language === undefined) continue;
    const end = lines.indexOf('```', at);
    const intro = lines[at - 2] ?? '';
    const path = /^`([^`]+)`:$/.exec(intro)?.[1];
    found.push({ language, path, intro, text: lines.slice(at + 1, end).join('\n') });
    at = end;
  }
  return found;
}
