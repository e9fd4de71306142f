import type { DynamicModule, INestApplication, INestApplicationContext, Type } from '@nestjs/common';
import { ApplicationConfig, ModulesContainer } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ThrottlerGuard } from '@nestjs/throttler';
import { DataSource } from 'typeorm';
import { Database } from '../database/database.js';
import type { DatabaseParts } from '../database/database-options.js';
import { ApiExceptionFilter } from '../http/errors/api-exception.filter.js';
import { EventTypes } from '../database/events/event-types.js';
import { CODE_PATTERN, ERROR_CODES, MAX_CODE_LENGTH, type OwnErrorCode } from '../platform/errors/error-codes.js';
import { refuseFaults } from '../platform/errors/extension-error.js';
import type { HealthIndicator } from '../monitoring/readiness.js';
import { missingColumns } from './missing-columns.js';
import { catchesAll, providersOf, resolversOf, type Route, routesOf, unopenedMessagesOf } from './nest-metadata.js';
import { accessFaults, parameterFaults, scopeFaults, unsupportedFaults } from './route-faults.js';

/** The parts that an extension adds to the service. */
export interface Extension extends Partial<DatabaseParts> {
  readonly module: Type | DynamicModule;
  /** Scopes that keys can have, in addition to those of operations. */
  readonly scopes?: readonly string[];
  /** Providers that the readiness check calls. */
  readonly healthIndicators?: readonly Type<HealthIndicator>[];
  /** Error codes that no operation lists, such as those of a guard. */
  readonly errorCodes?: readonly OwnErrorCode[];
  /** Called before the application is initialised, like `configure` of `createApp`, and before that. */
  readonly configure?: (app: NestFastifyApplication) => void | Promise<void>;
}

/**
 * Checks what would make extensions insecure or their contract ambiguous. Call it before the application is initialised.
 * @returns the scopes of routes, events and extensions
 * @throws (rejects) ExtensionError that names all faults
 */
export async function checkExtensions(app: INestApplicationContext, extensions: readonly Extension[]) {
  const routes = routesOf(app);
  const config = app.get(ApplicationConfig);
  const globalPipes = classesOf(config.getGlobalRequestPipes(), config.getGlobalPipes());
  const operations = routes.flatMap(({ name, operation }) => (operation === undefined ? [] : [{ name, ...operation }]));
  const events = [...app.get(EventTypes, { strict: false }).all];
  const ownCodes = extensions.flatMap(({ errorCodes = [] }) => errorCodes);
  const faults = [
    ...routes.flatMap(accessFaults),
    ...routes.flatMap((route) => [...unsupportedFaults(route), ...parameterFaults(route, globalPipes)]),
    ...unopenedMessagesOf(app).map((name) => `${name}: messages have no API key. Add @Public(), and check the sender.`),
    ...resolversOf(app).map(
      (name) => `${name}: fields of GraphQL have neither scopes nor limits. Use another service.`,
    ),
    ...extensions.flatMap(({ scopes = [] }) => scopes.flatMap(scopeFaults)),
    ...events.flatMap(({ name, scope }) => scopeFaults(scope).map((fault) => `The event ${name}: ${fault}`)),
    ...repetitions('operation id', operations, ({ id }) => id),
    ...repetitions('route', routes, ({ address }) => address),
    ...namingFaults(routes),
    ...indicatorFaults(app, extensions),
    ...codeFaults([...operations.flatMap(({ errors }) => errors), ...ownCodes]),
    ...enhancerFaults(app, config),
    ...columnFaults(app.get(Database)),
    ...(await missingColumns(app, extensions)),
    ...dataSourceFaults(app),
  ];
  refuseFaults(faults);
  const ofRoutes = routes.flatMap(({ access }) => (typeof access === 'object' ? access.scope : []));
  const ofEvents = events.map(({ scope }) => scope);
  return [...ofRoutes, ...ofEvents, ...extensions.flatMap(({ scopes = [] }) => scopes)];
}

function repetitions<Use extends { name: string }>(what: string, uses: readonly Use[], key: (use: Use) => string) {
  return [...Map.groupBy(uses, key)]
    .filter(([, all]) => all.length > 1)
    .map(([id, all]) => `The ${what} ${id} is used more than once: ${all.map(({ name }) => name).join(', ')}.`);
}

/** A path that has several methods is one template in OpenAPI, and for the router. */
function namingFaults(routes: readonly Route[]): string[] {
  return [...Map.groupBy(routes, ({ place }) => place).values()].flatMap((all) => {
    const users = new Map(all.map(({ path, name }) => [path, name]));
    if (users.size === 1) return [];
    const named = Array.from(users, ([path, name]) => `${path} of ${name}`).join(', ');
    return [`Methods of one path name its parameters differently: ${named}. Use the same names.`];
  });
}

function indicatorFaults(app: INestApplicationContext, extensions: readonly Extension[]): string[] {
  const providers = providersOf(app);
  const missing = extensions
    .flatMap(({ healthIndicators = [] }) => healthIndicators)
    .filter((type) => !providers.has(type));
  return missing.map(
    ({ name }) => `${name} is in healthIndicators, but is not a provider. Add it to the providers of a module.`,
  );
}

/** TypeORM sets these columns in SQL, to `CURRENT_TIMESTAMP`. */
function columnFaults({ entityMetadatas }: Database): string[] {
  const dates = entityMetadatas.flatMap(({ name, createDateColumn, updateDateColumn, deleteDateColumn }) =>
    [createDateColumn, updateDateColumn, deleteDateColumn].flatMap((column) => (column ? [{ name, column }] : [])),
  );
  return dates
    .filter(({ column: { type } }) => type === 'bigint' || type === 'integer')
    .map(({ name, column }) => `${name}.${column.propertyName}: ${TIMESTAMP_NEEDED}`);
}

function dataSourceFaults(app: INestApplicationContext): string[] {
  const unnamed = [...app.get(ModulesContainer).values()].filter(({ providers }) => providers.has(DataSource));
  return unnamed.length > 1
    ? ['TypeOrmModule.forRoot() would replace the database of the service. Give it a name.']
    : [];
}

/** What clients cannot rely on: a code with two statuses, or one that is none by the document. */
function codeFaults(declared: readonly Pick<OwnErrorCode, 'code' | 'status'>[]): string[] {
  const statuses = new Map<string, number>(Object.entries(ERROR_CODES).map(([code, { status }]) => [code, status]));
  return declared.flatMap(({ code, status }) => {
    if (code.length > MAX_CODE_LENGTH || !new RegExp(CODE_PATTERN).test(code))
      return [
        `The error code ${JSON.stringify(code)} must have at most ${MAX_CODE_LENGTH} letters from a to z, in words as in "visits_full".`,
      ];
    const known = statuses.get(code) ?? status;
    statuses.set(code, known);
    if (known !== status)
      return [`The error code ${code} has the status ${known} already and cannot have ${status}. Use another code.`];
    const isError = Number.isInteger(status) && status >= 400 && status <= 599;
    return isError ? [] : [`The error code ${code} has the status ${status}. It must be from 400 to 599.`];
  });
}

const TIMESTAMP_NEEDED =
  'TypeORM sets it to a timestamp, not to a number. Declare it without TIME_COLUMN, with the type timestamp of columnTypes().';

const UNSAFE_CACHE =
  'caches responses by URL, so accounts would get those of others. Extend it, and return the URL and the account from trackBy().';
const OTHER_LIMITS = 'counts by address and replaces the rate-limit headers. Use @Throttle() without it.';
const CATCHES_ALL = 'catches all errors, so clients would not get the Error object. Name classes in @Catch().';

/** Enhancers that would give an account the responses of others, or clients other errors than the Error object. */
function enhancerFaults(app: INestApplicationContext, config: ApplicationConfig): string[] {
  const bound = [...app.get(ModulesContainer).values()].flatMap(({ injectables }) => [...injectables.values()]);
  const interceptors = classesOf([...bound, ...config.getGlobalRequestInterceptors()], config.getGlobalInterceptors());
  const guards = classesOf([...bound, ...config.getGlobalRequestGuards()], config.getGlobalGuards());
  const filters = classesOf(config.getGlobalRequestFilters(), config.getGlobalFilters());
  const unsafe = filters.filter((filter) => filter !== ApiExceptionFilter && catchesAll(filter));
  return [
    ...interceptors.filter(isUnsafeCache).map(({ name }) => `${name} ${UNSAFE_CACHE}`),
    ...(guards.includes(ThrottlerGuard) ? [`ThrottlerGuard ${OTHER_LIMITS}`] : []),
    ...unsafe.map(({ name }) => `${name} ${CATCHES_ALL}`),
  ];
}

function classesOf(wrappers: readonly { metatype: unknown }[], instances: readonly object[]): Function[] {
  const classes = [...wrappers.map(({ metatype }) => metatype), ...instances.map(({ constructor }) => constructor)];
  return classes.filter((type) => typeof type === 'function');
}

/** Whether a class is the CacheInterceptor of `@nestjs/cache-manager`, or extends it without its own cache key. */
function isUnsafeCache(type: Function): boolean {
  for (let one: unknown = type; typeof one === 'function'; one = Object.getPrototypeOf(one))
    if (Object.hasOwn((one.prototype as object | undefined) ?? {}, 'trackBy')) return one.name === 'CacheInterceptor';
  return false;
}

/** Methods of an application that would move the API or contradict its document. */
const INSTEAD = {
  enableCors: 'Set CORS_ORIGINS.',
  enableVersioning: '/v1 is the version. Put another version into the paths of controllers.',
  setGlobalPrefix: 'All routes are below /v1. Put a prefix into the paths of controllers.',
};

/** Makes the methods throw, in `configure` and afterwards. */
export function refuseMethods(app: INestApplication): void {
  for (const [method, advice] of Object.entries(INSTEAD)) {
    const refuse = () => refuseFaults([`app.${method}() is refused. ${advice}`]);
    // Nest's proxy around the application ignores assignments.
    Object.defineProperty(app, method, { value: refuse, configurable: true });
  }
}
