import type { INestApplication } from '@nestjs/common';
import { DiscoveryService, ModulesContainer } from '@nestjs/core';
import { DocumentBuilder, type OpenAPIObject } from '@nestjs/swagger';
import { PLANS } from '../../auth/keys/plan.js';
import { API_PREFIX } from '../../http/requests/request.js';
import { publicPath } from '../../http/addresses.js';
import { type Env, VERSION } from '../../platform/config/env.js';
import { API_KEY_SCHEME, Heading } from '../operation.decorator.js';

/** The version of the interface, which compatible changes leave as it is. `x-service-version` tells them. */
const INTERFACE_VERSION = '1.0.0';

/** The parts of the document besides the operations. */
export function outlineOf(app: INestApplication, env: Env): Omit<OpenAPIObject, 'paths'> {
  const isStaging = env.ENVIRONMENT === 'staging';
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Pet Store Service')
    .setDescription(describeService(env))
    .setVersion(INTERFACE_VERSION)
    .addExtension('x-service-version', VERSION, 'info')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addSecurity(API_KEY_SCHEME, {
      type: 'http',
      scheme: 'bearer',
      description: 'Your API key, `psk_...`, without the word Bearer.',
    });
  const discovery = new DiscoveryService(app.get(ModulesContainer));
  const headings = discovery.getControllers().flatMap((one) => discovery.getMetadataByDecorator(Heading, one) ?? []);
  // Controllers can share one.
  for (const { name, description } of new Map(headings.map((one) => [one.name, one])).values())
    builder.addTag(name, description);
  const addServer = (url: string, serves: string) =>
    // Everybody with a key can call it.
    builder.addServer(url, serves, undefined, { 'x-internal': false });
  if (env.BASE_URL === undefined) addServer(API_PREFIX, `This server (${env.ENVIRONMENT})`);
  else addServer(env.BASE_URL, isStaging ? 'Staging' : 'Production');
  // On a staging service, the first server is the staging environment.
  if (env.STAGING_BASE_URL !== undefined && !isStaging) addServer(env.STAGING_BASE_URL, 'Staging');
  const plansUrl = absoluteUrl(env, '/docs/plans');
  if (plansUrl !== undefined) builder.setExternalDoc('Plans, limits and bans', plansUrl);
  const { info, ...rest } = builder.build();
  const url = absoluteUrl(env, '/docs');
  return { ...rest, info: { ...info, contact: { name: 'Pet Store Service', ...(url && { url }) } } };
}

/** Many tools refuse relative URLs of pages, and without BASE_URL the service does not know its own address. */
function absoluteUrl(env: Env, address: string): string | undefined {
  const url = publicPath(env, address);
  return URL.canParse(url) ? url : undefined;
}

function describeService({ ANONYMOUS_PER_MINUTE, ANONYMOUS_PER_DAY, RATE_LIMIT_FIELDS }: Env): string {
  const fields = ' `RateLimit` and `RateLimit-Policy` show both windows; they are experimental.';
  return `
A pet store catalogue: pets, categories, orders, usage, API keys, events and webhooks.

**Authentication.** Every request needs an API key: \`Authorization: Bearer <API_KEY>\`. By default, a new key has every
scope except \`keys:manage\` and \`webhooks:manage\`.

**Limits.** All keys of an account share the limits of its plan:

${planTable()}

The \`X-RateLimit-*\` headers show the window (minute or day) with fewer requests left. After a 429, wait \`Retry-After\`
seconds, and back off exponentially. A key that keeps sending requests is banned. Requests without a valid key are limited
by client address: ${formatCount(ANONYMOUS_PER_MINUTE)} a minute and ${formatCount(ANONYMOUS_PER_DAY)} a day.

**Errors** have an \`Error\` object as their body. Branch on its \`code\`. Send \`Accept: application/problem+json\` to get
problem details (RFC 9457) instead. An operation can also return 501 \`not_implemented\` for a
transfer coding other than \`chunked\`. An unknown path returns 404 \`route_not_found\`, an unsupported method 405
\`method_not_allowed\`. GET operations accept HEAD.

**Lifecycle.** Each operation has an \`x-stability\`. A \`stable\` operation changes only compatibly. A \`beta\` operation can
change incompatibly, with notice. An \`experimental\` operation can change at any time. A deprecated operation returns 410
from its \`x-sunset\` date on.

Every response also has \`X-Content-Type-Options\`, \`Vary\` and \`Cache-Control\` (\`private, no-cache\` or \`no-store\`).
Requests that are not valid HTTP get a 400, 408 or 431 without the last two.${RATE_LIMIT_FIELDS ? fields : ''}
`.trim();
}

function planTable(): string {
  const rows = Object.entries(PLANS).map(
    ([name, limits]) => `| ${planTitle(name)} | ${formatCount(limits?.perMinute)} | ${formatCount(limits?.perDay)} |`,
  );
  return ['| Plan | Requests per minute | Requests per day |', '|---|---|---|', ...rows].join('\n');
}

export function planTitle(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** @param requests undefined for a limit that each account agrees on */
export function formatCount(requests: number | undefined): string {
  return requests?.toLocaleString('en') ?? 'custom';
}
