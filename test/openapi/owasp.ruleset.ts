import { createRequire } from 'node:module';
import type { RulesetDefinition } from '@stoplight/spectral-core';

// Its types say that it is the default export, which it is not.
const ruleset = createRequire(import.meta.url)('@stoplight/spectral-owasp-ruleset') as RulesetDefinition;

/** The OWASP rules that the document is held against. */
export const RULESET: RulesetDefinition = {
  extends: [[ruleset, 'all']],
  rules: {
    // The specification has int64 identifiers. To guess one gives nothing: a key reads the whole catalogue anyway, and orders
    // of another account are 404.
    'owasp:api1:2023-no-numeric-ids': 'off',
    // Browsers may call only where an operator allows their origin, and the header is sent to those origins alone.
    'owasp:api8:2023-define-cors-origin': 'off',
  },
};

/** What the rules may find, and why it is right. */
export const EXPLAINED: readonly { readonly rule: string; readonly at: RegExp }[] = [
  // Every int64 is accepted and exact; JavaScript's numbers cannot spell the bounds that the format has.
  {
    rule: 'owasp:api4:2023-integer-limit',
    at: /\/(categoryId|id|petId|after|ids)$|\/parameters\/(\d+|\w+Id)\/schema(\/items)?$/,
  },
  // How many scopes there are, and how long their names are, extensions decide.
  { rule: 'owasp:api4:2023-array-limit', at: /\/properties\/scopes$/ },
  { rule: 'owasp:api4:2023-string-limit', at: /\/properties\/scopes\/items$/ },
];
