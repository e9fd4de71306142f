import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './build.js';
import type { Contender } from './contenders.js';
import { say } from './progress.js';

/**
 * The service as it was at a commit, to compare with.
 * @param revision what `git rev-parse` accepts
 */
export function earlierVersion(revision: string): Contender {
  const commit = execFileSync('git', ['rev-parse', '--verify', `${revision}^{commit}`], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const folder = join(tmpdir(), `petstore-${commit.trim()}`);
  if (!existsSync(folder)) build(commit.trim(), folder);
  return { name: 'before', title: `ours at ${revision}`, file: join(folder, 'dist/src/main.js') };
}

function build(commit: string, folder: string): void {
  say(`building ${commit}`);
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished);
  const commands = `git archive ${commit} | tar -x -C "${unfinished}" && cd "${unfinished}" && npm ci && npm run build`;
  execFileSync('sh', ['-c', commands], { cwd: ROOT, stdio: ['ignore', 2, 2] });
  renameSync(unfinished, folder);
}
