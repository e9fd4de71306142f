import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * Creates a feature: `npm run new -- feature brands [brand]`. It is `src/categories` under another name, registered wherever
 * that feature is, with a migration that creates its table.
 */

const PLURAL = 'categories';
const SINGULAR = 'category';
/** Each line of these about the template is repeated for the new feature. */
const REGISTERED = [
  'src/app.module.ts',
  'src/database-parts.ts',
  'src/auth/keys/scopes.ts',
  'src/platform/errors/error-codes.ts',
  'docs/architecture.md',
  'docs/authentication.md',
];
const MIGRATIONS = 'src/database/migrations';

process.chdir(join(import.meta.dirname, '..'));
const [kind, plural = '', singular = plural.replace(/ies$/, 'y').replace(/s$/, '')] = process.argv.slice(2);
const areWords = [plural, singular].every((name) => /^[a-z]{3,30}$/.test(name)) && plural !== singular;
if (kind !== 'feature' || !areWords) fail('Usage: npm run new -- feature <plural> [<singular>], such as: brands brand');
if (existsSync(`src/${plural}`)) fail(`src/${plural} exists.`);

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

const read = (path: string) => readFileSync(path, 'utf8');

const written: string[] = [];
function write(path: string, text: string): void {
  writeFileSync(path, text);
  written.push(path);
}

const capitalised = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** The text with the name of the new feature, spelled in the same way. */
function renamed(text: string): string {
  const spellings = [(word: string) => word, capitalised, (word: string) => word.toUpperCase()];
  return spellings.reduce(
    (before, spell) => before.replaceAll(spell(PLURAL), spell(plural)).replaceAll(spell(SINGULAR), spell(singular)),
    text,
  );
}

const twice = (part: string) => (renamed(part) === part ? part : part + renamed(part));

mkdirSync(`src/${plural}`);
for (const file of readdirSync(`src/${PLURAL}`)) {
  // Only the identifiers of categories are also those of pets.
  const text = read(`src/${PLURAL}/${file}`).replaceAll(/^.* FROM "pets" .*\n/gm, '');
  write(`src/${plural}/${renamed(file)}`, renamed(text));
}
const toEdit = written.filter((path) => /\bpets?\b/i.test(read(path)));

for (const path of REGISTERED) write(path, read(path).replaceAll(/^.*\n/gm, twice));
write('docs/errors.md', read('docs/errors.md').replaceAll(/^### .*\n[^]*?(?=^##)/gm, twice));
const architecture = 'test/architecture.spec.ts';
write(architecture, read(architecture).replace(`'${PLURAL}'];`, `'${PLURAL}', '${plural}'];`));

const migrations = readdirSync(MIGRATIONS);
const createTable = new RegExp(`await runner\\.query\\(\`\\s*CREATE TABLE "${PLURAL}" [^;]*;`);
const [statement = ''] = createTable.exec(migrations.map((file) => read(`${MIGRATIONS}/${file}`)).join('')) ?? [];
const timestamp = Math.max(Date.now(), ...migrations.map((file) => (Number.parseInt(file) || 0) + 1));
const migration = capitalised(plural) + timestamp;
write(
  `${MIGRATIONS}/${timestamp}-${plural}.ts`,
  `import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnTypes } from '../schema.js';

export class ${migration} implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { int64, tableEnd } = columnTypes(runner);
    ${renamed(statement)}
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "${plural}"');
  }
}
`,
);
const list = `${MIGRATIONS}/index.ts`;
const imported = `import { ${migration} } from './${timestamp}-${plural}.js';`;
write(list, read(list).replace('\n\n', `\n${imported}\n\n`).replace('\n];', `\n  ${migration},\n];`));

execFileSync('node_modules/.bin/prettier', ['--write', '--log-level', 'warn', ...written]);
process.stdout.write(`Written:\n${written.join('\n')}\n\nThese still mention pets:\n${toEdit.join('\n')}\n`);
