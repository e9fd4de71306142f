import type { DynamicModule, NestApplicationOptions } from '@nestjs/common';
import type { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import { nearest } from '../http/errors/client-names.js';
import type { Clock } from '../platform/config/clock.js';
import { Env } from '../platform/config/env.js';
import { ConfigError } from '../platform/config/load-env.js';
import { refuseFaultsOf } from '../platform/errors/extension-error.js';
import type { Extension } from './extension.js';

export interface AppOptions {
  readonly env: Env;
  /** Default: the system's clock. */
  readonly clock?: Clock;
  /** Modules of a team that extends the service. */
  readonly extensions?: readonly Extension[];
  /** Called before the application is initialised: the place for adapters, Fastify plugins and global enhancers. */
  readonly configure?: (app: NestFastifyApplication) => void | Promise<void>;
  /** How Nest creates the application; for tests that replace providers. */
  readonly create?: (
    module: DynamicModule,
    adapter: FastifyAdapter,
    settings: NestApplicationOptions,
  ) => Promise<NestFastifyApplication>;
}

const OPTIONS: Readonly<Record<keyof AppOptions, true>> = {
  env: true,
  clock: true,
  extensions: true,
  configure: true,
  create: true,
};
const MEMBERS: Readonly<Record<keyof Extension, true>> = {
  module: true,
  entities: true,
  migrations: true,
  scopes: true,
  healthIndicators: true,
  errorCodes: true,
  configure: true,
};

/**
 * Checks what callers without types can get wrong, before Nest reads the extensions: its messages would tell of other faults.
 * @throws ConfigError if `env` is no `Env` or an option is misspelt, ExtensionError if an extension is none
 */
export function checkAppOptions(options: AppOptions): void {
  const { env, extensions = [] } = options;
  // It would otherwise open the database of the default settings.
  if (!(env instanceof Env)) throw new ConfigError('createApp needs env, such as loadEnv().');
  const [misspelt] = misspellings(options, OPTIONS);
  if (misspelt !== undefined) throw new ConfigError(`There is no option ${misspelt}`);
  refuseFaultsOf(extensions, (extension, index) => {
    const first = extensions.findIndex((other) => other?.module === extension?.module);
    const isRepeated = first < index && extension?.module !== undefined;
    const repetition = isRepeated ? [`is extensions[${first}] again: it has the same module.`] : [];
    return [...extensionFaults(extension), ...repetition];
  });
}

function extensionFaults(extension: unknown): string[] {
  if (typeof extension === 'function')
    return [
      `is the function ${extension.name}. Call it if it returns an extension, or pass { module: ${extension.name} }.`,
    ];
  if (typeof extension !== 'object' || extension === null || !('module' in extension))
    return ['has no module. Pass an extension, such as { module: BidsModule }.'];
  return [...misspellings(extension, MEMBERS).map((fault) => `has ${fault}`), ...undefinedParts(extension)];
}

/** Other unknown names are left alone: an object can have members of its own. */
function misspellings(given: object, known: Readonly<Record<string, true>>): string[] {
  return Object.keys(given).flatMap((name) => {
    if (name in known) return [];
    const meant = nearest(name, Object.keys(known));
    return meant === undefined ? [] : [`${name}. Did you mean ${meant}?`];
  });
}

const LISTS = ['entities', 'migrations', 'healthIndicators'] as const;

/** What TypeORM and Nest would leave out, or report without a name. */
export function undefinedParts(extension: object): string[] {
  const parts: { readonly [List in (typeof LISTS)[number]]?: readonly unknown[] } = extension;
  return LISTS.flatMap((list) =>
    (parts[list] ?? []).flatMap((part, index) =>
      part === undefined ? [`has undefined in ${list}[${index}]. Files may import each other in a circle.`] : [],
    ),
  );
}
