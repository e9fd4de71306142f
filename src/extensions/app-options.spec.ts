import { expect, it } from '@jest/globals';
import { createDataSource } from '../database-parts.js';
import { loadEnv } from '../platform/config/load-env.js';
import { type AppOptions, checkAppOptions } from './app-options.js';

const BidsModule = Map;
const bids = () => ({ module: Set });
const check = (options: object) => () => checkAppOptions({ env: loadEnv({}), ...options } as AppOptions);

it('refuses a misspelt option, but no other name', () => {
  expect(check({ extension: [] })).toThrow('There is no option extension. Did you mean extensions?');
  expect(check({ note: 'ours' })).not.toThrow();
});

it('names each extension that is none', () => {
  const message = `The extensions are not valid:
  extensions[0] is the function bids. Call it if it returns an extension, or pass { module: bids }.
  extensions[1] has no module. Pass an extension, such as { module: BidsModule }.
  extensions[2] has entites. Did you mean entities?`;
  expect(check({ extensions: [bids, {}, { module: BidsModule, entites: [] }, bids()] })).toThrow(message);
});

it('names undefined parts, and extensions that are passed twice', () => {
  const first = { module: BidsModule, entities: [BidsModule, undefined], healthIndicators: [undefined] };
  const message = `The extensions are not valid:
  extensions[0] has undefined in entities[1]. Files may import each other in a circle.
  extensions[0] has undefined in healthIndicators[0]. Files may import each other in a circle.
  extensions[1] has undefined in migrations[0]. Files may import each other in a circle.
  extensions[1] is extensions[0] again: it has the same module.`;
  expect(check({ extensions: [first, { module: BidsModule, migrations: [undefined] }] })).toThrow(message);
  const parts = [{ migrations: [undefined] }] as unknown as Parameters<typeof createDataSource>[1];
  expect(() => createDataSource(loadEnv({}), parts)).toThrow('extensions[0] has undefined in migrations[0].');
});

it('leaves members of an extension alone that are its own', () => {
  expect(check({ extensions: [{ module: BidsModule, entities: [], options: {} }] })).not.toThrow();
});
