import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** Folder of the project. */
export const HOME = resolve(import.meta.dirname, '../..');

/** All lines. */
export const lines: readonly string[] = readFileSync(resolve(HOME, 'README.md'), 'utf8').split('\n');

interface Block {
  readonly language: string;
  readonly text: string;
  /** Named by a line just above the block: `path`: */
  readonly path: string | undefined;
}

/** The fenced blocks, in their order. */
const blocks: readonly Block[] = readBlocks();

/** The commands of all shell blocks, in their order; one that goes on after a backslash is one. */
export const commands: readonly string[] = blocks
  .filter(({ language }) => language === 'sh')
  .flatMap(({ text }) => text.replaceAll(/\\\n\s*/g, '').split('\n'));

/** The files that the README shows, by path. */
export const files: ReadonlyMap<string, string> = new Map(
  blocks.flatMap(({ path, text }) => (path === undefined ? [] : [[path, `${text}\n`] as const])),
);

/** The first JSON block that is no file. */
export const jsonExample = blocks.find(({ language, path }) => language === 'json' && path === undefined)?.text ?? '';

/** The rows, head excluded, of the table whose head begins with these cells; cells are without backquotes. */
export function table(...head: string[]): string[][] {
  const start = lines.findIndex((line) => line.startsWith(`| ${head.join(' | ')} |`));
  if (start === -1) throw new Error(`The README has no table with the head ${head.join(', ')}`);
  const rest = lines.slice(start + 2);
  return rest.slice(0, rest.findIndex((line) => !line.startsWith('|'))).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

function readBlocks(): Block[] {
  const found: Block[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const language = /^```(\w+)$/.exec(lines[at] ?? '')?.[1];
    if (language === undefined) continue;
    const end = lines.indexOf('```', at);
    const path = /^`([^`]+)`:$/.exec(lines[at - 2] ?? '')?.[1];
    found.push({ language, path, text: lines.slice(at + 1, end).join('\n') });
    at = end;
  }
  return found;
}
