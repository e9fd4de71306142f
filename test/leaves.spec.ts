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
  'http/json/int64.js',
  'platform/errors/domain-error.js',
  'platform/errors/error-codes.js',
  'rate-limit/windows/ban-record.js',
  'rate-limit/windows/decision.js',
  'rate-limit/windows/usage.js',
];
const MOST_MODULES = 20;

const LIST_LOADED = `
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({
    load(url, context, next) {
      if (!url.startsWith('node:')) loaded.push(url);
      return next(url, context);
    },
  });
  await import(process.argv[1]);
  console.log(JSON.stringify(loaded));
`;

it.each(LEAVES)('%s loads few modules', (file) => {
  const path = join(import.meta.dirname, '../dist/src', file);
  const flags = ['--input-type=module', '--eval', LIST_LOADED, path];
  const loaded = JSON.parse(execFileSync(process.execPath, flags, { encoding: 'utf8' })) as string[];
  expect(loaded[0]).toMatch(file);
  expect(loaded.slice(MOST_MODULES)).toEqual([]);
});
