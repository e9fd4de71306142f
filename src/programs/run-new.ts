import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { messageOf } from '../platform/errors/domain-error.js';
import { parse, type ProgramIo } from './program.js';

interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

const require = createRequire(import.meta.url);
const MANIFEST = 'petstore-service/package.json';
/** An extension for real, but for versions, which are `*`, and names of dot files, which npm would not pack. */
const TEMPLATE = join(dirname(require.resolve(MANIFEST)), 'scaffold/extension');
/** Their tables, routes, scopes, operations or schemas would be those of the service. */
const TAKEN = new RegExp(
  `^(${[
    'account|animal|audit-record|categor(y|ie)(-change|-creation)?|category-count|database-identity|idempotency-record',
    '(calling-|issued-|rotated-)?api-key|api-key-(change|creation|rotation|scope|usage(-window)?)|key(-ban|-network)?',
    'error|known-error-code|event(-deliver(y|ie)|-log|-pattern|-subscription)?|migration|plan|store',
    '(repeated-)?deliver(y|ie)|(delivery|repeated|webhook)-state|order(-change|-creation|-status)?',
    'new-pet|pet(-change|-status)?|usage(-history(-item)?|-interval|-outcome|-split|-window)?',
    '(issued-)?webhook|webhook-(change|creation|replay|rotation|test)',
  ].join('|')})s?$`,
);

const SPELLINGS: readonly ((words: readonly string[]) => string)[] = [
  (words) => words.join('-'),
  (words) => words.join('_'),
  (words) => words.join('_').toUpperCase(),
  (words) => words.join(' '),
  (words) => capitalised(words.join(' ')),
  classNameOf,
];

const spelled = (name: string) => SPELLINGS.map((spell) => spell(name.split('-')));

/** Runs a command line of `petstore-service`, which writes a new package. @returns the exit code */
export function runNew(args: readonly string[], { stdout, stderr }: ProgramIo): number {
  let exitCode = 2;
  const program = new Command('petstore-service')
    .exitOverride()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: () => undefined });
  program
    .command('new')
    .description('Write a new package.')
    .command('extension')
    .description('Write the package of an extension, with tests and an image, into a folder of its name.')
    .argument('<name>', 'a plural, such as toys or vet-visits')
    .argument('[singular]', 'of an irregular plural, such as mouse for mice')
    .action((name: string, singular?: string) => {
      const files = filesOf(name, singular);
      exitCode = 1;
      if (existsSync(name)) throw new Error(`${name} exists. Choose another name, or another folder to run this in.`);
      for (const [path, text] of files) {
        mkdirSync(dirname(join(name, path)), { recursive: true });
        writeFileSync(join(name, path), text, { flag: 'wx' });
      }
      stdout.write(
        `Created the package of an extension in ${name}. Its README.md says how to install, test and start it.\n`,
      );
    });
  try {
    parse(program, args);
    return 0;
  } catch (error) {
    stderr.write(`${messageOf(error)}\n`);
    return exitCode;
  }
}

/** @throws Error if it is no plural, or one that may be irregular, such as `mice`, `knives` or `buses` */
function singularOf(plural: string): string {
  const isRegular = /[^s]s$/.test(plural) && !/(?:[^s]se|ve|serie|specie|movie|new)s$/.test(plural);
  if (!isRegular) throw new Error(`Give the singular of ${plural} too, if it is a plural: mice mouse.`);
  return plural.replace(/(?:(?<=ss|x|ch|sh)es|(ie)?s)$/, (_, ie?: string) => (ie === undefined ? '' : 'y'));
}

/** The files of the package, by path. @throws Error if a name cannot be one of an extension */
function filesOf(name: string, given?: string): Map<string, string> {
  for (const word of given === undefined ? [name] : [name, given])
    if (!/^(?=.{3,40}$)[a-z][a-z0-9]*(-[a-z][a-z0-9]*)*$/.test(word))
      throw new Error(`${word} is not a valid name: use 3 to 40 lower-case letters and digits, with - between words.`);
  const singular = given ?? singularOf(name);
  const used = [name, singular].find((word) => TAKEN.test(word));
  if (used !== undefined) throw new Error(`${used} is a name that the service uses. Choose another one.`);
  const entries = readdirSync(TEMPLATE, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = entries.map(({ parentPath, name: file }) => join(parentPath, file));
  const texts = new Map(files.map((file) => [file.slice(TEMPLATE.length + 1), readFileSync(file, 'utf8')] as const));
  checkIdentifiers([name, singular], [...texts.values()].join('\n'));
  const manifest = require(MANIFEST) as Manifest;
  const renamed = renaming(name, singular);
  return new Map(
    [...texts].map(([path, text]) => [
      renamed(path).replace(/^(gitignore|dockerignore|npmrc)$/, '.$&'),
      renamed(path === 'package.json' ? withVersions(text, manifest) : text),
    ]),
  );
}

/** @throws Error if a class would have the name of one that a file imports */
function checkIdentifiers(names: readonly string[], template: string): void {
  const imported = new Set(
    [...template.matchAll(/^(?:import|export) [^;]*;/gm)].flatMap(([text]) => text.split(/\W+/)),
  );
  const taken = names
    .map((name) => classNameOf(name.split('-')))
    .find((name) => imported.has(name) || name in globalThis);
  if (taken !== undefined) throw new Error(`${taken} is a class that the package uses. Choose another name.`);
}

/** Replaces the names of the template in each spelling, and the time of its migration by now. */
function renaming(plural: string, singular: string): (text: string) => string {
  const from = [...spelled('vet-visits'), ...spelled('vet-visit'), '1795305600000'];
  const to = [...spelled(plural), ...spelled(singular), String(Date.now())];
  const article = /^[aeiou]/.test(singular) ? '$1n ' : '$1 ';
  return (text) =>
    text
      .replaceAll(/\b([Aa]) (?=vet visit)/g, article)
      .replaceAll(new RegExp(from.join('|'), 'g'), (found) => to[from.indexOf(found)] ?? '');
}

/** Those that this version of the service was tested with. */
function withVersions(text: string, { version, engines, ...manifest }: Manifest): string {
  // As ranges: the extension is to share the copies of the service, also after an upgrade.
  const own = Object.entries(manifest.dependencies).map(([name, exact]) => [name, `^${exact}`] as const);
  const known: Readonly<Record<string, string>> = {
    ...Object.fromEntries(own),
    ...manifest.devDependencies,
    ...manifest.peerDependencies,
    node: engines.node,
    'petstore-service': `^${version}`,
  };
  return text.replaceAll(/"([^"]+)": "\*"/g, (_, name: string) => `"${name}": "${known[name]}"`);
}

function classNameOf(words: readonly string[]): string {
  return words.map(capitalised).join('');
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
