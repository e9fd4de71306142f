import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';

export const ICON = 'site/icon.svg';

/** The files of Swagger UI's package that the pages load. Its other files are not served. */
const PACKAGE_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js'];

/** Our own styles, scripts and images, which are served unchanged. */
const OWN_FILES = join(import.meta.dirname, 'browser');

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export interface Asset {
  /** Path below `/docs/`. */
  readonly name: string;
  readonly contentType: string;
  readonly content: Buffer;
}

export function readAssets(): Asset[] {
  const { resolve } = createRequire(import.meta.url);
  const own = readdirSync(OWN_FILES, { recursive: true, encoding: 'utf8' }).map(
    (name) => [name, join(OWN_FILES, name)] as const,
  );
  const ofPackage = PACKAGE_FILES.map((name) => [name, resolve(`swagger-ui-dist/${name}`)] as const);
  return [...own, ...ofPackage].flatMap(([name, path]) => {
    const contentType = CONTENT_TYPES[extname(name)];
    return contentType === undefined ? [] : [{ name, contentType, content: readFileSync(path) }];
  });
}
