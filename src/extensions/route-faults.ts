import { StandardSchemaValidationPipe, ValidationPipe } from '@nestjs/common';
import { isScope } from '../auth/keys/scopes.js';
import { hasNoRules, RequestValidationPipe, rulesOf } from '../http/validation/request-validation.pipe.js';
import type { Route } from './nest-metadata.js';

export function accessFaults({ name, access }: Route): string[] {
  if (access === undefined)
    return [`${name}: it declares no access. Add @Operation() or @Public(), above any @RouteConfig().`];
  return typeof access === 'object' ? scopeFaults(access.scope).map((fault) => `${name}: ${fault}`) : [];
}

/** What Nest has, and the service has not. */
export function unsupportedFaults({ name, address, status, hasVersion, hasMediaTypes, operation }: Route): string[] {
  const faults: string[] = [];
  if (address.includes('('))
    faults.push('paths have no regular expressions. Write ":id", and check it with PathId or a pipe of the parameter.');
  if (hasVersion) faults.push('@Version() has no effect, as /v1 is the version. Put another version into the path.');
  if (operation !== undefined) {
    const documented = operation.success.status;
    if (status !== documented)
      faults.push(`its status is ${status}, but ${documented} in success of @Operation(). Change one of them.`);
    if (hasMediaTypes)
      faults.push('@ApiProduces() would not set the media type of the response. Add contentType to success.');
    if (address.startsWith('ALL '))
      faults.push('@All() has no place in the document. Write a method for each HTTP method.');
  }
  return faults.map((fault) => `${name}: ${fault}`);
}

export function scopeFaults(scope: string): string[] {
  return isScope(scope) ? [] : [`No key can have the scope ${JSON.stringify(scope)}: scopes look like "pets:read".`];
}

/** What class-validator and Nest's pipes have, and the pipe of the service has not. */
export function parameterFaults({ name, parameters, pipes }: Route, globalPipes: readonly unknown[]): string[] {
  return parameters.flatMap(({ place, metatype, data, pipes: own = [], schema }) => {
    const faults: string[] = [];
    if (typeof metatype === 'function' && rulesOf(metatype).some(({ groups = [] }) => groups.length > 0))
      faults.push(`${metatype.name} has validation groups, which are not supported. Write a class for each case.`);
    // Of a part of a body, another pipe can make an instance of any class.
    const isDto = VALIDATED.has(place) && (data === undefined || (place === 'BODY' && own.length === 0));
    if (isDto && hasNoRules(metatype)) faults.push(`${name}: ${metatype.name} ${NO_RULES}`);
    const all = [...globalPipes, ...pipes, ...own].map(classOf);
    if (place === 'BODY' && data === undefined && schema === undefined && UNCHECKED.has(metatype))
      if (all.every((pipe) => OF_CLASSES.has(pipe))) faults.push(`${name}: ${NO_CLASS}`);
    if (schema !== undefined && !all.some(checksSchema))
      faults.push(`${name}: nothing checks the schema of a parameter. Bind StandardSchemaValidationPipe.`);
    return faults;
  });
}

const VALIDATED: ReadonlySet<string | undefined> = new Set(['BODY', 'QUERY', 'PARAM']);
const NO_RULES =
  'has no rules of class-validator, so all its fields would be refused. ' +
  'Add rules, or declare a type that is not a class, and pass a pipe.';

/** What TypeScript leaves of interfaces, `any`, and lists. */
const UNCHECKED: ReadonlySet<unknown> = new Set([Object, Array]);
/** Pipes that check instances of classes only. */
const OF_CLASSES: ReadonlySet<Function> = new Set([RequestValidationPipe, ValidationPipe]);
const NO_CLASS =
  'nothing checks its @Body(), whose type is not a class. Declare a class with rules of class-validator, or pass a pipe.';

function classOf(pipe: unknown): Function {
  return typeof pipe === 'function' ? pipe : (pipe as object).constructor;
}

function checksSchema(type: Function): boolean {
  return type === StandardSchemaValidationPipe || type.prototype instanceof StandardSchemaValidationPipe;
}
