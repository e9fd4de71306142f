import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join, matchesGlob, relative } from 'node:path';

export const HOME = join(import.meta.dirname, '../..');

/** What an image begins with and what it runs. */
export interface Image {
  readonly folder: string;
  readonly command: readonly string[];
}

/**
 * Performs the steps of the Dockerfile in empty folders, one for each stage, where no container engine runs. What needs
 * one is left out: base images, users and volumes.
 */
export function buildImage(folder: string): Image {
  const stages = new Map<string, string>();
  let stage = '';
  let workingFolder = '/';
  let command: readonly string[] = [];
  const inStage = (path: string) => join(stage, path.startsWith('/') ? path : join(workingFolder, path));
  for (const [instruction, rest] of instructions()) {
    if (instruction === 'FROM') {
      stage = join(folder, String(stages.size));
      stages.set(/ AS (\w+)$/.exec(rest)?.[1] ?? '', stage);
    }
    if (instruction === 'WORKDIR') mkdirSync(inStage((workingFolder = rest)), { recursive: true });
    if (instruction === 'RUN')
      execFileSync('sh', ['-c', rest], { cwd: inStage('.'), env: environment(), stdio: 'pipe' });
    if (instruction === 'CMD') command = JSON.parse(rest) as string[];
    if (instruction === 'COPY') {
      const words = rest.split(' ');
      const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
      const paths = words.filter((word) => !word.startsWith('--'));
      const target = paths.pop() ?? '.';
      const source = from === undefined ? HOME : (stages.get(from) ?? '');
      const isSent = (path: string) => from !== undefined || !isIgnored(relative(HOME, path));
      for (const path of paths) {
        if (!isSent(join(source, path)))
          throw new Error(`The Dockerfile copies ${path}, which its ignore file leaves out.`);
        const to = target.endsWith('/') ? join(inStage(target), path.split('/').at(-1) ?? '') : inStage(target);
        cpSync(join(source, path), to, { recursive: true, filter: isSent });
      }
    }
  }
  return { folder: inStage('.'), command };
}

const linesOf = (name: string) => readFileSync(join(HOME, 'docker', name), 'utf8').split('\n');

/** Whether the ignore file keeps a path from the builder: the last pattern that matches it, or a folder above it, decides. */
export function isIgnored(path: string): boolean {
  const names = path.split('/');
  const above = names.map((_, index) => names.slice(0, index + 1).join('/'));
  const patterns = linesOf('Dockerfile.dockerignore').filter((line) => line !== '');
  // Docker's `*` matches names that begin with a dot too.
  const matches = (glob: string) => glob === '*' || above.some((one) => matchesGlob(one, glob));
  const last = patterns.findLast((pattern) => matches(pattern.replace(/^!/, '')));
  return last !== undefined && !last.startsWith('!');
}

/** Instructions with what follows them. */
function instructions(): [string, string][] {
  const lines = linesOf('Dockerfile');
  return lines
    .filter((line) => /^[A-Z]/.test(line))
    .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]);
}

/** Without what npm hands to the scripts that it runs, and with the Node that runs this as the one of the image. */
function environment(): Record<string, string> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_OPTIONS$)/i.test(name)) as [
    string,
    string,
  ][];
  return { ...Object.fromEntries(inherited), PATH: `${join(process.execPath, '..')}:${process.env['PATH']}` };
}
