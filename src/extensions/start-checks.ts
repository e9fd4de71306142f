import { FILTER_CATCH_EXCEPTIONS } from '@nestjs/common/constants.js';
import { instanceToPlain } from 'class-transformer';
import { isScope } from '../api-keys/index.js';
import { Clock, type Env, type Override } from '../config/index.js';
import { KeyVerifier } from '../auth/index.js';
import { ERROR_CODES, type OwnErrorCode } from '../errors/index.js';
import { operationOf } from '../openapi/index.js';
import { PetsService } from '../pets/index.js';
import { CounterStore } from '../rate-limit/index.js';
import type { Composition, Route } from './composition.js';
import type { Extension } from './extension.js';
import { lateFaults, migrationNames, orderFaults } from './migration-checks.js';
import { exclusionFaults, messageFaults, repetitions, routeFaults } from './route-checks.js';
import { serializerFaults } from './serializer-checks.js';

/** Invalid extensions; `message` has one line for each fault. */
export class ExtensionError extends Error {}

/** Parts of the application that are checked in addition to the modules. */
export interface Checked {
  readonly env: Env;
  readonly extensions: readonly Extension[];
  readonly overrides: readonly Override[];
}

/** Providers that can be replaced. */
const REPLACEABLE: ReadonlySet<unknown> = new Set([Clock, CounterStore, KeyVerifier, PetsService]);

/**
 * Checks extensions before any of their code runs.
 * @throws (rejects) ExtensionError that names all of them
 */
export async function checkStart(
  { routes, messages, tokens, classes, globalFilters }: Composition,
  { env, extensions, overrides }: Checked,
): Promise<void> {
  const errorsOfOperations = routes.flatMap(({ handler }) => operationOf(handler)?.errors ?? []);
  const faults = [
    ...routeFaults(routes),
    ...serializerFaults(routes),
    ...messageFaults(messages),
    ...codeFaults([...errorsOfOperations, ...extensions.flatMap(({ errorCodes = [] }) => errorCodes)]),
    ...extensions.flatMap((extension) => extensionFaults(extension, tokens)),
    ...exclusionFaults(
      extensions.flatMap(({ prefixExclusions = [] }) => prefixExclusions),
      routes,
    ),
    ...settingsFaults({ env, extensions }),
    ...sharedSettings(env),
    ...classes
      .filter(isUnsafeCache)
      .map(
        (cache) =>
          `${cache.name} caches responses by URL, so accounts would get those of ` +
          'others. Extend it, and return the URL and the account from trackBy().',
      ),
    ...globalFilters
      .filter(catchesAll)
      .map(
        ({ name }) =>
          `${name} catches all errors, so clients would not get the Error object. Name classes in @Catch().`,
      ),
    ...overrides
      .filter(({ provide }) => !REPLACEABLE.has(provide))
      .map(
        ({ provide }) => `${nameOf(provide)} cannot be replaced; Clock, CounterStore, KeyVerifier and PetsService can.`,
      ),
  ];
  faults.push(...(await lateFaults(extensions, env, faults.length > 0)));
  if (faults.length > 0) throw extensionError(faults);
}

/**
 * Checks serializers that apply to all routes.
 * @param routes of extensions
 * @throws ExtensionError
 */
export function checkSerializers(serializers: readonly unknown[], routes: readonly Route[]): void {
  const faults = serializerFaults(routes, serializers);
  if (faults.length > 0) throw extensionError(faults);
}

/**
 * The error of an application whose modules Nest cannot put together. Nest does not say why settings are missing.
 * @param error of Nest
 */
export function compositionError(error: unknown, checked: Pick<Checked, 'env' | 'extensions'>): unknown {
  const faults = settingsFaults(checked);
  return faults.length > 0 ? extensionError(faults) : error;
}

function extensionError(faults: readonly string[]): ExtensionError {
  return new ExtensionError(['The extensions are not valid:', ...faults].join('\n  '));
}

function settingsFaults({ env, extensions }: Pick<Checked, 'env' | 'extensions'>): string[] {
  return extensions.flatMap(({ settings }) =>
    settings !== undefined && env.ofExtensions?.has(settings) !== true
      ? `${settings.name} was not read. Pass the extensions to loadEnv() too.`
      : [],
  );
}

/** Settings of the same name, for which two classes can have different rules and defaults. */
function sharedSettings(env: Env): string[] {
  const classes = [env, ...(env.ofExtensions?.values() ?? [])];
  const declared = classes.flatMap((settings) =>
    Object.keys(instanceToPlain(settings, { strategy: 'excludeAll' })).map((id) => ({
      id,
      name: settings.constructor.name,
    })),
  );
  return repetitions('setting', declared);
}

function codeFaults(errors: readonly Pick<OwnErrorCode, 'code' | 'status'>[]): string[] {
  const statuses = new Map<string, number>(Object.entries(ERROR_CODES).map(([code, { status }]) => [code, status]));
  const faults = errors.flatMap(({ code, status }) => {
    if (!Number.isInteger(status) || status < 400 || status > 599)
      return `The error code ${code} cannot have the status ${status}: use an integer from 400 to 599.`;
    const known = statuses.get(code) ?? status;
    statuses.set(code, known);
    if (known === status) return [];
    return `The error code ${code} has the status ${known} already and cannot have ${status}. Use another code.`;
  });
  // Several operations can list the same error.
  return [...new Set(faults)];
}

function extensionFaults(extension: Extension, tokens: ReadonlySet<unknown>): string[] {
  const { scopes = [], healthIndicators = [] } = extension;
  return [
    ...scopes
      .filter((scope) => !isScope(scope))
      .map((scope) => `No key can have the scope ${JSON.stringify(scope)}: scopes look like "pets:read".`),
    ...healthIndicators
      .filter((type) => !tokens.has(type))
      .map(({ name }) => `${name} is not a provider. Add it to the providers of its module.`),
    ...orderFaults(migrationNames(extension)),
  ];
}

/** Whether a class is the CacheInterceptor of `@nestjs/cache-manager`, or extends it without its own cache key. */
function isUnsafeCache(type: Function): boolean {
  for (let one: unknown = type; typeof one === 'function'; one = Object.getPrototypeOf(one))
    if (Object.hasOwn((one.prototype as object | undefined) ?? {}, 'trackBy')) return one.name === 'CacheInterceptor';
  return false;
}

function catchesAll(filter: Function): boolean {
  const caught = Reflect.getMetadata(FILTER_CATCH_EXCEPTIONS, filter) as readonly unknown[] | undefined;
  return caught?.length === 0;
}

function nameOf(token: unknown): string {
  return typeof token === 'function' ? token.name : String(token);
}
