import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { transformSync } from '@swc/core';

export const ROOT = resolve(import.meta.dirname, '../../..');
/** The built service. The contenders are compiled into the same folder, so that they import the same modules. */
export const BUILT = join(ROOT, 'dist');

/** Compiles the contenders and what else runs in a process of its own, with the one helper of other tests that it imports. */
export function buildContenders(): void {
  const bench = join(ROOT, 'test/bench');
  const files = readdirSync(bench, { recursive: true, encoding: 'utf8' });
  for (const file of [...files, '../support/random.ts']) {
    if (!file.endsWith('.ts') || file.endsWith('.spec.ts')) continue;
    const target = join(BUILT, 'test/bench', file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, compile(readFileSync(join(bench, file), 'utf8')), { mode: 0o755 });
  }
}

function compile(source: string): string {
  return transformSync(source, {
    swcrc: false,
    jsc: {
      target: 'es2024',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    },
    module: { type: 'es6' },
  }).code;
}
