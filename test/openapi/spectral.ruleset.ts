import { createRequire } from 'node:module';
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
