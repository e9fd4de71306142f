import { createRequire } from 'node:module';
import type { RulesetDefinition } from '@stoplight/spectral-core';

// The package's types declare a default export that does not exist at runtime.
const ruleset = createRequire(import.meta.url)('@stoplight/spectral-owasp-ruleset') as RulesetDefinition;

/** The OWASP rules for the document. */
export const RULESET: RulesetDefinition = {
  extends: [[ruleset, 'all']],
  rules: {
    // The specification requires int64 identifiers. Guessing one reveals nothing: a key can read the whole catalogue, and
    // orders of other accounts return 404.
    'owasp:api1:2023-no-numeric-ids': 'off',
    // Only origins that the operator allows receive the CORS header.
    'owasp:api8:2023-define-cors-origin': 'off',
  },
};

/** Expected findings, each with the reason. */
export const EXPLAINED: readonly { readonly rule: string; readonly at: RegExp }[] = [
  // Every int64 is valid and exact. JavaScript numbers cannot represent the bounds of the format.
  {
    rule: 'owasp:api4:2023-integer-limit',
    at: /\/(categoryId|id|petId|after|ids)$|\/parameters\/(\d+|\w+Id)\/schema(\/items)?$/,
  },
  // Extensions determine the number of scopes and the length of their names.
  { rule: 'owasp:api4:2023-array-limit', at: /\/properties\/scopes$/ },
  { rule: 'owasp:api4:2023-string-limit', at: /\/properties\/scopes\/items$/ },
];
