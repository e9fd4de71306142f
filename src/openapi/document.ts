import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { type Clock, Env } from '../config/index.js';
import { ErrorBody } from '../errors/index.js';
import { API_PREFIX } from '../http/index.js';
import { removalMs } from '../lifecycle/index.js';
import { finishOperation, finishSchemas } from './finish.js';
import { HEADERS } from './headers.js';
import { describeLifecycle, type LivingOperation } from './lifecycle-words.js';
import { API_KEY_SCHEME } from './operation.decorator.js';
import { operationGroups } from './operation-group.decorator.js';
import { describeService, type PlanLimits } from './service-description.js';

/** Makes the OpenAPI document of all operations that the application's modules declare. */
export function createDocument(app: INestApplication, plans: PlanLimits): OpenAPIObject {
  const scanned = SwaggerModule.createDocument(app, outline(app, plans), { ignoreGlobalPrefix: true, extraModels: [ErrorBody] });
  const { openapi, info, servers = [], tags = [], paths, components } = scanned;
  // In the order in which people read it.
  const document = { openapi, info, servers, tags, paths, components: { ...components, headers: HEADERS } };
  finishSchemas(document);
  for (const operation of operationsOf(document)) {
    describeLifecycle(operation);
    finishOperation(document, operation);
  }
  return document;
}

/** The document without the operations whose removal date has come. */
export function withoutRemoved(document: OpenAPIObject, clock: Clock, env: Env): OpenAPIObject {
  const paths: OpenAPIObject['paths'] = {};
  for (const [path, item] of Object.entries(document.paths)) {
    const kept = Object.entries(item as Record<string, LivingOperation>).filter(
      ([, operation]) => operation['x-sunset'] === undefined || clock.nowMs() < removalMs(operation['x-sunset'], env),
    );
    if (kept.length > 0) paths[path] = Object.fromEntries(kept);
  }
  return { ...document, paths };
}

/** Everything in the document that no operation declares. */
function outline(app: INestApplication, plans: PlanLimits): Omit<OpenAPIObject, 'paths'> {
  const env = app.get(Env);
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Pet Store Service')
    .setDescription(describeService(plans, env))
    .setVersion('1.0.0')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addSecurity(API_KEY_SCHEME, { type: 'http', scheme: 'bearer', description: 'Your API key, `psk_...`, without the word Bearer.' })
    .addServer(env.BASE_URL ?? API_PREFIX, env.BASE_URL === undefined ? 'This server' : 'Production');
  if (env.STAGING_BASE_URL !== undefined) builder.addServer(env.STAGING_BASE_URL, 'Staging');
  for (const { name, description } of operationGroups(app)) builder.addTag(name, description);
  const { info, ...rest } = builder.build();
  const { contact: _none, ...described } = info;
  return { ...rest, info: described };
}

function operationsOf(document: OpenAPIObject): LivingOperation[] {
  return Object.values(document.paths).flatMap((item) => Object.values(item as Record<string, LivingOperation>));
}
