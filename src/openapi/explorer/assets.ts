import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { PACKAGE_FOLDER } from './guides.js';

const { resolve } = createRequire(import.meta.url);

/** Other files, such as declarations of types, are not served. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export interface Asset {
  readonly name: string;
  readonly type: string;
  readonly content: Buffer;
}

export function readAssets(): Asset[] {
  const browser = join(import.meta.dirname, 'browser');
  const own = readdirSync(browser, { recursive: true, encoding: 'utf8' }).map((name) => [name, join(browser, name)]);
  // The simulator of plans uses the rules of the service, as the build has compiled them.
  const rules = ['ban-record', 'decision', 'usage'].map((rule) => `rate-limit/windows/${rule}.js`);
  // The pages load no other files of the package.
  const swaggerUi = ['swagger-ui.css', 'swagger-ui-bundle.js'];
  const files = [
    ...own,
    ...rules.map((name) => [name, join(PACKAGE_FOLDER, 'dist/src', name)]),
    ...swaggerUi.map((name) => [name, resolve(`swagger-ui-dist/${name}`)]),
  ];
  return files.toSorted().flatMap(([name = '', path = '']) => {
    const type = CONTENT_TYPES[extname(name)];
    return type === undefined ? [] : [{ name, type, content: readFileSync(path) }];
  });
}

/** Part of the address of all assets, which import each other by relative addresses: it changes when one of them does. */
export function versionOf(assets: readonly Asset[]): string {
  const hash = createHash('sha256');
  for (const { name, content } of assets) hash.update(`${name} ${content.length} `).update(content);
  return hash.digest('hex').slice(0, 16);
}
