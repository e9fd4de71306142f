import type { Env } from '../config/index.js';

/** Limits by plan; a plan without any of its own has them set for each account. */
export type PlanLimits = Readonly<Record<string, { readonly perMinute: number; readonly perDay: number } | undefined>>;

/** What a reader of the document should know before any single operation, in Markdown. */
export function describeService(plans: PlanLimits, { ANONYMOUS_PER_MINUTE, ANONYMOUS_PER_DAY }: Env): string {
  return `
A pet store catalogue: list the animals that are available for adoption, add new ones, fetch a single one.

**Authentication.** Every operation needs an API key: \`Authorization: Bearer <API_KEY>\`. Each names the scope that the
key must have; a key has all scopes but \`keys:manage\` unless it was made otherwise.

**Limits.** An account's plan limits the requests that all its keys make together:

${planTable(plans)}

A minute begins with the first request in it, a day at midnight UTC. Every response says where you stand, in the window
that has fewer requests left: \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\`, and \`X-RateLimit-Reset\` as a Unix timestamp in
seconds. Past a limit the answer is 429 with \`Retry-After\`: wait that many seconds, and back off exponentially. A key that
is refused as often as its whole minute limit within one minute is banned (429 \`api_key_banned\`) for a minute, and twice
as long with each further ban within 24 hours, up to an hour. Requests without a valid key count against the caller's
address only: ${format(ANONYMOUS_PER_MINUTE)} a minute and ${format(ANONYMOUS_PER_DAY)} a day.

**Errors** are always an \`Error\` object. Branch on its \`code\`, and expect new ones. Besides what each operation lists, an
unknown path is 404 \`route_not_found\`, another method 405 \`method_not_allowed\` with \`Allow\`, and too large a header 431
\`headers_too_large\`.

**Lifecycle.** Every operation is marked \`stable\`, \`beta\` or \`experimental\` (\`x-stability\`). A deprecated one answers with
\`Deprecation\`, \`Sunset\` and a \`Link\` to its successor until its removal date (\`x-sunset\`), and with 410 from then on.
`.trim();
}

function planTable(plans: PlanLimits): string {
  const rows = Object.entries(plans).map(([name, limits]) => {
    const title = name.charAt(0).toUpperCase() + name.slice(1);
    return limits === undefined ? `| ${title} | custom | custom |` : `| ${title} | ${format(limits.perMinute)} | ${format(limits.perDay)} |`;
  });
  return ['| Plan | Requests per minute | Requests per day |', '|---|---|---|', ...rows].join('\n');
}

function format(count: number): string {
  return count.toLocaleString('en');
}
