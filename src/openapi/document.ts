import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, type ParameterObject, SwaggerModule } from '@nestjs/swagger';
import { Env } from '../config/index.js';
import { API_PREFIX, publicPath } from '../http/index.js';
import { errorSchemas } from './error-schemas.js';
import { finishedOperation, type LivingOperation, type ScannedOperation } from './finished-operation.js';
import { finishedSchemas } from './finished-schema.js';
import { HEADER_COMPONENTS } from './headers.js';
import { acceptIdempotencyKeys } from './idempotency-keys.js';
import { API_KEY_SCHEME } from './operation.decorator.js';
import { type Documentation, operationGroups, PLANS_PAGE } from './operation-group.decorator.js';
import { describeService, type PlanLimits } from './service-description.js';
import { SharedResponses } from './shared-responses.js';
import { shareParameters } from './shared-parameters.js';

/** The request header that rehearses errors on a staging service. */
const PREFER: ParameterObject = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description:
    'Makes the request return an error without any other effect (RFC 7240): `code=` and a status or an error code ' +
    'of this operation, or 410 if it is deprecated. The response has `Preference-Applied`.',
  schema: { type: 'string', pattern: '^code=[a-z0-9_]+$', maxLength: 100, example: 'code=429' },
};

/** Contents of the document that no operation declares. */
export interface DocumentFacts {
  readonly plans: PlanLimits;
  /** Scopes that keys can be given. */
  readonly scopes: readonly string[];
  /** Error codes of extensions that no operation lists. */
  readonly errorCodes: readonly string[];
}

/** Creates the OpenAPI document of all operations of the application. */
export function createDocument(app: INestApplication, { plans, scopes, errorCodes }: DocumentFacts): OpenAPIObject {
  const { paths, components, ...outline } = SwaggerModule.createDocument(app, outlineOf(app, plans), {
    ignoreGlobalPrefix: true,
  });
  acceptIdempotencyKeys(paths);
  const operations: ScannedOperation[] = operationsOf({ paths });
  if (app.get(Env).ENVIRONMENT === 'staging')
    for (const operation of operations) operation.parameters = [...(operation.parameters ?? []), PREFER];
  const codes = operations.flatMap(({ 'x-errors': errors = [] }) => errors).map(({ code }) => code);
  const shared = { schemas: finishedSchemas(components?.schemas ?? {}), responses: new SharedResponses() };
  for (const item of Object.values(paths) as Record<string, ScannedOperation>[])
    for (const [method, operation] of Object.entries(item)) item[method] = finishedOperation(method, operation, shared);
  const finished = operationsOf({ paths });
  const parameters = shareParameters(finished);
  const responses = shared.responses.share(finished);
  return {
    ...outline,
    paths,
    components: {
      ...components,
      schemas: {
        ...shared.schemas,
        ApiKeyScope: { ...shared.schemas['ApiKeyScope'], enum: [...scopes] },
        ...errorSchemas([...codes, ...errorCodes]),
      },
      responses,
      parameters,
      headers: HEADER_COMPONENTS,
    },
  };
}

/** The parts of the document besides the operations. */
function outlineOf(app: INestApplication, plans: PlanLimits): Omit<OpenAPIObject, 'paths'> {
  const env = app.get(Env);
  const environment = env.ENVIRONMENT === 'staging' ? 'Staging' : 'Production';
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Pet Store Service')
    .setDescription(describeService(plans, env))
    .setVersion('1.1.0')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addSecurity(API_KEY_SCHEME, {
      type: 'http',
      scheme: 'bearer',
      description: 'Your API key, `psk_...`, without the word Bearer.',
    });
  const externalDocs = ({ description, address }: Documentation) => ({ description, url: publicPath(env, address) });
  for (const { name, description, documentation } of operationGroups(app))
    builder.addTag(name, description, documentation && externalDocs(documentation));
  const { info, ...rest } = builder.build();
  const servers = [
    {
      url: env.BASE_URL ?? API_PREFIX,
      description: env.BASE_URL === undefined ? `This server (${env.ENVIRONMENT})` : environment,
    },
    // On a staging service, the first server is the staging environment.
    ...(env.STAGING_BASE_URL === undefined || env.ENVIRONMENT === 'staging'
      ? []
      : [{ url: env.STAGING_BASE_URL, description: 'Staging' }]),
  ];
  return {
    ...rest,
    externalDocs: externalDocs({ description: 'Plans, limits and bans', address: PLANS_PAGE }),
    // Everybody with a key can call it.
    servers: servers.map((server) => ({ ...server, 'x-internal': false })),
    info: { ...info, contact: { name: 'Pet Store Service', url: publicPath(env, '/docs') } },
  };
}

/** All operations of a document. */
export function operationsOf({ paths }: Pick<OpenAPIObject, 'paths'>): LivingOperation[] {
  return Object.values(paths).flatMap((item) => Object.values(item as Record<string, LivingOperation>));
}
