import { createRequire } from 'node:module';
import type { OpenAPIObject, OperationObject, SchemaObject } from '@nestjs/swagger';
import type { IFunctionResult, RulesetDefinition } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';

// The package's types declare a default export that does not exist at runtime.
const owasp = createRequire(import.meta.url)('@stoplight/spectral-owasp-ruleset') as RulesetDefinition;

function refuseConstructors(schemas: unknown): IFunctionResult[] {
  const names = Object.keys(schemas as object);
  return names
    .filter((name) => names.includes(`New${name}`))
    .map((name) => ({
      message: `New${name} is the constructor of ${name}`,
      path: ['components', 'schemas', `New${name}`],
    }));
}

function tagsIn(items: object): string[] {
  const operations = Object.values(items).flatMap((item) => Object.values(item as object) as OperationObject[]);
  return operations.flatMap(({ tags = [] }) => tags);
}

/** Generators write a file for each tag: that of a webhook would overwrite that of the operations. */
function refuseSharedTags(document: unknown): IFunctionResult[] {
  const { paths, webhooks = {} } = document as OpenAPIObject;
  const ofOperations = new Set(tagsIn(paths));
  return tagsIn(webhooks)
    .filter((tag) => ofOperations.has(tag))
    .map((tag) => ({ message: `${tag} is a tag of operations and of webhooks`, path: ['webhooks'] }));
}

/** Generators for Go declare the values of all enums in one package. */
function refuseSharedConstants(schemas: unknown): IFunctionResult[] {
  const owners = new Map<string, string>();
  return Object.entries(schemas as Record<string, SchemaObject>).flatMap(([name, schema]) => {
    const values: unknown[] = (schema as { 'x-enum-varnames'?: string[] })['x-enum-varnames'] ?? schema.enum ?? [];
    return values.flatMap((value) => {
      const constant = String(value).replaceAll(/\W+/g, '_').replace(/_$/, '').toUpperCase();
      const owner = owners.get(constant) ?? name;
      owners.set(constant, owner);
      return owner === name
        ? []
        : [{ message: `${constant} is a value of ${owner} and of ${name}`, path: ['components', 'schemas', name] }];
    });
  });
}

function refuseDelimiter(pattern: unknown): IFunctionResult[] {
  return String(pattern).startsWith('/') ? [{ message: 'A pattern must not begin with a slash' }] : [];
}

function refuseOtherThanText(schema: unknown): IFunctionResult[] {
  return (schema as SchemaObject).type === 'string' ? [] : [{ message: 'The code of an Error must be a string' }];
}

/** Spectral's own rules for OpenAPI, and those of OWASP. */
export const RULESET: RulesetDefinition = {
  extends: [oas as RulesetDefinition, [owasp, 'all']],
  rules: {
    // The specification requires int64 identifiers. Guessing one reveals nothing: a key can read the whole catalogue, and
    // orders of other accounts return 404.
    'owasp:api1:2023-no-numeric-ids': 'off',
    // Only origins that the operator allows receive the CORS header.
    'owasp:api8:2023-define-cors-origin': 'off',
    // Generators for Go make a constructor `NewPet` for the schema `Pet`.
    'schema-is-no-constructor': {
      given: '$.components.schemas',
      severity: 'warn',
      // oxlint-disable-next-line unicorn/no-thenable -- Spectral's name
      then: { function: refuseConstructors },
    },
    'tag-of-webhooks': {
      given: '$',
      severity: 'warn',
      // oxlint-disable-next-line unicorn/no-thenable -- Spectral's name
      then: { function: refuseSharedTags },
    },
    'values-of-one-enum': {
      given: '$.components.schemas',
      severity: 'warn',
      // oxlint-disable-next-line unicorn/no-thenable -- Spectral's name
      then: { function: refuseSharedConstants },
    },
    // OpenAPI Generator takes it for the delimiter of a regular expression, and writes no Python.
    'pattern-without-delimiter': {
      given: '$..pattern',
      severity: 'warn',
      // oxlint-disable-next-line unicorn/no-thenable -- Spectral's name
      then: { function: refuseDelimiter },
    },
    // Generated clients get a wrapper, or a type without the known codes.
    'code-is-a-string': {
      given: '$.components.schemas.Error.properties.code',
      severity: 'warn',
      // oxlint-disable-next-line unicorn/no-thenable -- Spectral's name
      then: { function: refuseOtherThanText },
    },
  },
};

/** Expected findings, each with the reason. */
export const EXPLAINED: readonly { readonly rule: string; readonly at: RegExp }[] = [
  // OpenAPI 3.1 lets a bearer scheme list the roles that an operation needs. The rule knows only the scopes of 3.0.
  { rule: 'oas3-operation-security-defined', at: /\/security\/0\/apiKey\/0$/ },
  // Every int64 is valid and exact. JavaScript numbers cannot represent the bounds of the format.
  {
    rule: 'owasp:api4:2023-integer-limit',
    at: /\/(categoryId|id|petId|after|ids)$|\/parameters\/(\d+|\w+Id)\/schema(\/items)?$/,
  },
  // The service has no key yet when it refuses headers that are too large.
  { rule: 'owasp:api4:2023-rate-limit', at: /\/responses\/431\/headers$/ },
  // Extensions determine the number of scopes and the length of their names.
  { rule: 'owasp:api4:2023-array-limit', at: /\/properties\/scopes$/ },
  { rule: 'owasp:api4:2023-string-limit', at: /\/properties\/scopes\/items$/ },
];
