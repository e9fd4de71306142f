import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { type Clock, Env } from '../config/index.js';
import { ErrorBody } from '../errors/index.js';
import { isRemoved } from '../lifecycle/index.js';
import { HEADERS } from './headers.js';
import { describeLifecycle, type LivingOperation } from './lifecycle-words.js';

const DESCRIPTION = `
A pet store catalogue: list the animals that are available for adoption, add new ones, fetch a single one.

**Authentication.** Every operation needs an API key: \`Authorization: Bearer <API_KEY>\`.

**Limits.** An account's plan limits its requests per minute and per UTC day. Every response says where you stand in
\`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`. Past a limit the answer is 429 with \`Retry-After\`:
wait that long, and back off exponentially. A key that goes on calling is banned for a while.

| Plan | Requests per minute | Requests per day |
|---|---|---|
| Free | 60 | 1,000 |
| Pro | 300 | 10,000 |
| Business | 1,000 | 100,000 |
| Enterprise | custom | custom |

**Errors** are always an \`Error\` object; branch on its \`code\`.

**Lifecycle.** Every operation is marked \`stable\`, \`beta\` or \`experimental\`. A deprecated one answers with
\`Deprecation\` and \`Sunset\` headers until its removal date.
`.trim();

/** Makes the OpenAPI document of all operations that the application's modules declare. */
export function createDocument(app: INestApplication): OpenAPIObject {
  const env = app.get(Env);
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Pet Store Service')
    .setDescription(DESCRIPTION)
    .setVersion('1.0.0')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'Your API key.' }, 'apiKey')
    .addServer(env.BASE_URL ?? '/v1', 'Production');
  if (env.STAGING_BASE_URL !== undefined) builder.addServer(env.STAGING_BASE_URL, 'Staging');
  const document = SwaggerModule.createDocument(app, builder.build(), { ignoreGlobalPrefix: true, extraModels: [ErrorBody] });
  document.components = { ...document.components, headers: HEADERS };
  for (const operation of operationsOf(document)) {
    describeLifecycle(operation);
    closeRequestSchema(document, operation);
  }
  return document;
}

/** The document without the operations whose removal date has come. */
export function withoutRemoved(document: OpenAPIObject, clock: Clock, env: Env): OpenAPIObject {
  const paths: OpenAPIObject['paths'] = {};
  for (const [path, item] of Object.entries(document.paths)) {
    const kept = Object.entries(item as Record<string, LivingOperation>).filter(
      ([, operation]) => operation['x-sunset'] === undefined || !isRemoved(operation['x-sunset'], clock, env),
    );
    if (kept.length > 0) paths[path] = Object.fromEntries(kept);
  }
  return { ...document, paths };
}

function operationsOf(document: OpenAPIObject): LivingOperation[] {
  return Object.values(document.paths).flatMap((item) => Object.values(item as Record<string, LivingOperation>));
}

/** Unknown fields of request bodies are refused, which a client should know from the schema. */
function closeRequestSchema({ components }: OpenAPIObject, { requestBody }: LivingOperation): void {
  if (requestBody === undefined || '$ref' in requestBody) return;
  for (const { schema } of Object.values(requestBody.content)) {
    const name = schema !== undefined && '$ref' in schema ? schema.$ref.split('/').at(-1) : undefined;
    if (name !== undefined) Object.assign(components?.schemas?.[name] ?? {}, { additionalProperties: false });
  }
}
