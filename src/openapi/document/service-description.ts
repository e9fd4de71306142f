import { PLANS } from '../../accounts/index.js';
import type { Env } from '../../config/index.js';

/** The introduction of the document, in Markdown. */
export function describeService({ ANONYMOUS_PER_MINUTE, ANONYMOUS_PER_DAY }: Env): string {
  return `
A pet store catalogue: pets, their categories, orders for them, your usage and your API keys.

**Authentication.** Every request needs an API key: \`Authorization: Bearer <API_KEY>\`. By default, a new key has every
scope except \`keys:manage\`.

**Limits.** All keys of an account share the limits of its plan:

${planTable()}

The \`X-RateLimit-*\` headers show the window, minute or day, that has fewer requests left. On 429, wait \`Retry-After\`
seconds and back off exponentially; a key that keeps calling is banned. Requests without a valid key count against the
address: ${format(ANONYMOUS_PER_MINUTE)} a minute and ${format(ANONYMOUS_PER_DAY)} a day.

**Errors** are always an \`Error\` object; branch on its \`code\`. An unknown path is 404 \`route_not_found\`, a method that the
path does not support 405 \`method_not_allowed\`; headers over 16 KiB are 431 \`headers_too_large\`. GET operations accept HEAD.

**Lifecycle.** Each operation has an \`x-stability\`. A \`stable\` operation changes only compatibly. A \`beta\` operation can
change incompatibly, with notice. An \`experimental\` operation can change at any time. A deprecated operation returns 410
from its \`x-sunset\` date on.

Every response also has \`X-Content-Type-Options\` and \`Cache-Control\`: \`private, no-cache\` or \`no-store\`. Every response
has \`Vary\` too, unless the request is refused before it is routed: 400, 408, 431 and 501 of requests that are not valid HTTP.
`.trim();
}

function planTable(): string {
  const rows = Object.entries(PLANS).map(([name, limits]) => {
    const title = name.charAt(0).toUpperCase() + name.slice(1);
    return limits === undefined
      ? `| ${title} | custom | custom |`
      : `| ${title} | ${format(limits.perMinute)} | ${format(limits.perDay)} |`;
  });
  return ['| Plan | Requests per minute | Requests per day |', '|---|---|---|', ...rows].join('\n');
}

function format(count: number): string {
  return count.toLocaleString('en');
}
