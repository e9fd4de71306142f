import { StandardSchemaValidationPipe, ValidationPipe } from '@nestjs/common';
import { hasNoRules, RequestValidationPipe, rulesOf } from '../http/validation/request-validation.pipe.js';
import type { Route } from './nest-metadata.js';

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
  'Add rules, or declare a type that is no class, and pass a pipe.';

/** What TypeScript leaves of interfaces, `any`, and lists. */
const UNCHECKED: ReadonlySet<unknown> = new Set([Object, Array]);
/** Pipes that check instances of classes only. */
const OF_CLASSES: ReadonlySet<Function> = new Set([RequestValidationPipe, ValidationPipe]);
const NO_CLASS =
  'nothing checks its @Body(), whose type is no class. Declare a class with rules of class-validator, or pass a pipe.';

function classOf(pipe: unknown): Function {
  return typeof pipe === 'function' ? pipe : (pipe as object).constructor;
}

function checksSchema(type: Function): boolean {
  return type === StandardSchemaValidationPipe || type.prototype instanceof StandardSchemaValidationPipe;
}
