import { isScope } from '../api-keys/index.js';
import { ACCESS, type Access, routeConfigOf } from '../auth/index.js';
import { type Deprecation, deprecationOf } from '../lifecycle/index.js';
import { operationOf, type OperationOptions } from '../openapi/index.js';
import type { Handler, Route } from './composition.js';

/** The scopes that routes need. */
export function scopesOf(routes: readonly Route[]): string[] {
  return routes.flatMap(({ handler }) => {
    const access = accessOf(handler);
    return typeof access === 'object' ? [access.scope] : [];
  });
}

function accessOf(handler: Function): Access | undefined {
  return Reflect.getMetadata(ACCESS, handler) as Access | undefined;
}

/** Whether a handler takes requests without an API key. */
export function isPublic(handler: Function): boolean {
  return accessOf(handler) === 'public';
}

/** Messages have no API key, so the guards refuse them unless the gateway authenticates the sender. */
export function messageFaults(messages: readonly Handler[]): string[] {
  return messages
    .filter(({ handler }) => !isPublic(handler))
    .map(({ name }) => `${name}: messages have no API key. Add @Public(), and authenticate the sender in the gateway.`);
}

/** The faults of routes, one line each. */
export function routeFaults(routes: readonly Route[]): string[] {
  return [...routes.flatMap(faultsOf), ...repeatedIds(routes)];
}

function faultsOf(route: Route): string[] {
  const { name, handler, paths, isPost, isOfAllMethods, takesUnreadBody, sendsResponse, hasVersion } = route;
  const deprecation = deprecationOf(handler);
  const faults = [
    ...accessFaults(route, accessOf(handler)),
    ...configFaults(handler),
    ...statusFaults(route, operationOf(handler)),
    ...(deprecation === undefined ? [] : dateFaults(deprecation)),
    ...(isPost && sendsResponse
      ? ['a POST must return its response to accept an Idempotency-Key: use @Res({ passthrough: true })']
      : []),
    ...(isOfAllMethods && operationOf(handler) !== undefined
      ? ['an operation has one method: use @Get(), @Post() or the like instead of @All()']
      : []),
    ...(takesUnreadBody ? ['@Body() needs @Post(), @Put() or @Patch(): other methods have no body'] : []),
    ...(paths.length > 1 && operationOf(handler) !== undefined
      ? ['an operation has one path: write a method for each']
      : []),
    ...(hasVersion ? ['@Version() has no effect, because /v1 is the version: put another version into the path'] : []),
  ];
  return faults.map((fault) => `${name}: ${fault}.`);
}

function accessFaults({ handler, isUndocumented }: Route, access: Access | undefined): string[] {
  if (access === undefined) return ['it declares no access: add @Operation() or @Public()'];
  if (access === 'public') return [];
  const isOperation = isUndocumented || operationOf(handler) !== undefined;
  return [
    ...(isOperation ? [] : ['it is not documented: add @Operation() or @ApiExcludeEndpoint()']),
    ...(isScope(access.scope)
      ? []
      : [`no key can have the scope ${JSON.stringify(access.scope)}: scopes look like "pets:read"`]),
  ];
}

/** Admission reads the access from the configuration of the route, of which Nest keeps only the last one. */
function configFaults(handler: Function): string[] {
  if (routeConfigOf(handler)?.access === accessOf(handler)) return [];
  return ['@RouteConfig() replaces what @Operation(), @Public() and @RequireScope() set: put it below them'];
}

function statusFaults({ statusCode }: Route, operation: OperationOptions | undefined): string[] {
  if (operation === undefined || statusCode === operation.success.status) return [];
  return [`@HttpCode() must not differ from the status in @Operation(), which is ${operation.success.status}`];
}

function dateFaults({ since, sunset }: Deprecation): string[] {
  const impossible = [since, sunset].filter((date) => !isDate(date));
  if (impossible.length > 0)
    return impossible.map((date) => `@Deprecated() has ${JSON.stringify(date)}, which is not a date like 2030-12-05`);
  return sunset < since ? ['@Deprecated() has a sunset before the date from which it is deprecated'] : [];
}

function isDate(text: string): boolean {
  const time = new Date(text);
  return !Number.isNaN(time.getTime()) && time.toISOString().slice(0, 10) === text;
}

/** Paths that are excluded from the prefix, and so from admission, must be those of public routes. Patterns are not checked. */
export function exclusionFaults(exclusions: readonly string[], routes: readonly Route[]): string[] {
  return exclusions
    .filter((path) => /^[\w./-]+$/.test(path))
    .flatMap((path) => {
      const matching = routes.filter(({ paths }) => paths.includes(path.replaceAll(/^\/|\/$/g, '')));
      if (matching.length === 0) return [`No route has the path ${path}, which is in prefixExclusions.`];
      return matching
        .filter(({ handler }) => !isPublic(handler))
        .map(({ name }) => `${name}: its path is in prefixExclusions, so it must be @Public().`);
    });
}

function repeatedIds(routes: readonly Route[]): string[] {
  const named = routes.flatMap(({ name, handler }) => {
    const operation = operationOf(handler);
    return operation === undefined ? [] : [{ name, id: operation.id }];
  });
  return repetitions('operation id', named);
}

/** A line for each id that several users have. */
export function repetitions(what: string, uses: readonly { readonly id: string; readonly name: string }[]): string[] {
  return [...Map.groupBy(uses, ({ id }) => id)]
    .filter(([, all]) => all.length > 1)
    .map(([id, all]) => `The ${what} ${id} is used more than once: ${all.map(({ name }) => name).join(', ')}.`);
}
