import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join, matchesGlob, relative } from 'node:path';

export const HOME = join(import.meta.dirname, '../..');

/** The base image and the command of an image. */
export interface Image {
  readonly folder: string;
  readonly command: readonly string[];
}

/**
 * Runs the steps of the Dockerfile without a container engine, in one empty folder per stage. Skips the steps that need
 * an engine: base images, users and volumes.
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

/** Returns whether .dockerignore excludes a path. The last pattern that matches the path or a parent folder wins. */
export function isIgnored(path: string): boolean {
  const names = path.split('/');
  const above = names.map((_, index) => names.slice(0, index + 1).join('/'));
  const patterns = linesOf('Dockerfile.dockerignore').filter((line) => line !== '');
  // Docker's `*` also matches names that start with a dot.
  const matches = (glob: string) => glob === '*' || above.some((one) => matchesGlob(one, glob));
  const last = patterns.findLast((pattern) => matches(pattern.replace(/^!/, '')));
  return last !== undefined && !last.startsWith('!');
}

/** Returns the instructions with their arguments. */
function instructions(): [string, string][] {
  const lines = linesOf('Dockerfile');
  return lines
    .filter((line) => /^[A-Z]/.test(line))
    .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]);
}

/** Omits the variables that npm sets for scripts. The current Node stands in for that of the image. */
function environment(): Record<string, string> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_OPTIONS$)/i.test(name)) as [
    string,
    string,
  ][];
  return { ...Object.fromEntries(inherited), PATH: `${join(process.execPath, '..')}:${process.env['PATH']}` };
}
