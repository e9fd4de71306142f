import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

/** Files that a program or a test can load alone, without Nest and the rest of the service. */
const LEAVES = [
  'auth/keys/api-key-format.js',
  'auth/keys/plan.js',
  'auth/keys/scopes.js',
  'database/paging/page.js',
  'database/paging/page-key.js',
  'http/conditional-requests/entity-tags.js',
  'platform/errors/domain-error.js',
  'platform/errors/error-codes.js',
  'platform/int64.js',
  'rate-limit/windows/ban-record.js',
  'rate-limit/windows/decision.js',
  'rate-limit/windows/usage.js',
];
const MOST_MODULES = 20;

const COUNT_LOADED = `
  import { registerHooks } from 'node:module';
  let loaded = 0;
  registerHooks({
    load(url, context, next) {
      if (!url.startsWith('node:')) loaded += 1;
      return next(url, context);
    },
  });
  const counts = {};
  for (const file of process.argv.slice(1)) {
    loaded = 0;
    await import(file);
    counts[file] = loaded;
  }
  console.log(JSON.stringify(counts));
`;

it('leaves load few modules', () => {
  const folder = join(import.meta.dirname, '../dist/src/');
  const flags = ['--input-type=module', '--eval', COUNT_LOADED, ...LEAVES.map((file) => folder + file)];
  const counts = JSON.parse(execFileSync(process.execPath, flags, { encoding: 'utf8' })) as Record<string, number>;
  expect(Object.keys(counts)).toHaveLength(LEAVES.length);
  expect(Object.entries(counts).filter(([, count]) => count > MOST_MODULES)).toEqual([]);
  expect(counts[folder + LEAVES[0]]).toBeGreaterThan(0);
});
