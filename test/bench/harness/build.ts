import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { transformSync } from '@swc/core';

export const ROOT = resolve(import.meta.dirname, '../../..');
/** The built service. The contenders are compiled into the same folder, so that they import the same modules. */
export const BUILT = join(ROOT, 'dist');

/** Compiles in a separate process. A compiler in this process would add to its memory. */
export function buildContenders(): void {
  const bench = join(ROOT, 'test/bench');
  for (const file of readdirSync(bench, { recursive: true, encoding: 'utf8' })) {
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
