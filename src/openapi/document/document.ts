import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, type ParameterObject, SwaggerModule } from '@nestjs/swagger';
import { KnownScopes } from '../../api-keys/index.js';
import { Env } from '../../config/index.js';
import { API_PREFIX, publicPath } from '../../http/index.js';
import { IDEMPOTENCY_KEY_PARAMETER } from '../../idempotency/index.js';
import { IDEMPOTENCY_ERRORS } from '../common-errors.js';
import { errorSchemas } from './error-schemas.js';
import {
  finishedOperation,
  type LivingOperation,
  type ScannedOperation,
  type SharedParts,
} from './finished-operation.js';
import { finishedSchemas } from './finished-schema.js';
import { HEADER_COMPONENTS } from '../headers.js';
import { API_KEY_SCHEME } from '../operation.decorator.js';
import { type Documentation, operationGroups, PLANS_PAGE } from '../operation-group.decorator.js';
import { describeService } from './service-description.js';
import { share } from './shared-components.js';

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

/**
 * Creates the OpenAPI document of all operations of the application.
 * @param errorCodes of extensions, that no operation lists
 */
export function createDocument(app: INestApplication, errorCodes: readonly string[]): OpenAPIObject {
  const env = app.get(Env);
  const options = { ignoreGlobalPrefix: true };
  const { paths, components, ...outline } = SwaggerModule.createDocument(app, outlineOf(app, env), options);
  const parts: SharedParts = { schemas: finishedSchemas(components?.schemas ?? {}), parameters: [], responses: [] };
  const codes: string[] = [];
  for (const item of Object.values(paths) as Record<string, LivingOperation>[])
    for (const [method, scanned] of Object.entries(item)) {
      const operation = withHeaders(method, scanned as ScannedOperation, env);
      codes.push(...(operation['x-errors'] ?? []).map(({ code }) => code));
      item[method] = finishedOperation(method, operation, parts);
    }
  const parameters = share('parameters', parts.parameters);
  const responses = share('responses', parts.responses);
  for (const operation of operationsOf({ paths })) {
    if (operation.parameters !== undefined) operation.parameters = operation.parameters.map(parameters.refer);
    for (const [status, response] of Object.entries(operation.responses))
      operation.responses[status] = response && responses.refer(response);
  }
  return {
    ...outline,
    paths,
    components: {
      ...components,
      schemas: {
        ...parts.schemas,
        ApiKeyScope: { ...parts.schemas['ApiKeyScope'], enum: [...app.get(KnownScopes).names] },
        ...errorSchemas([...codes, ...errorCodes]),
      },
      responses: responses.components,
      parameters: parameters.components,
      headers: HEADER_COMPONENTS,
    },
  };
}

/** Adds the request headers that need no declaration: every POST accepts an Idempotency-Key. */
function withHeaders(method: string, operation: ScannedOperation, { ENVIRONMENT }: Env): ScannedOperation {
  const { parameters = [], 'x-errors': errors = [] } = operation;
  const isPost = method === 'post';
  const headers = [...(isPost ? [IDEMPOTENCY_KEY_PARAMETER] : []), ...(ENVIRONMENT === 'staging' ? [PREFER] : [])];
  return {
    ...operation,
    parameters: [...parameters, ...headers],
    'x-errors': isPost ? [...errors, ...IDEMPOTENCY_ERRORS] : errors,
  };
}

/** The parts of the document besides the operations. */
function outlineOf(app: INestApplication, env: Env): Omit<OpenAPIObject, 'paths'> {
  const isStaging = env.ENVIRONMENT === 'staging';
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Pet Store Service')
    .setDescription(describeService(env))
    .setVersion('1.1.1')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addSecurity(API_KEY_SCHEME, {
      type: 'http',
      scheme: 'bearer',
      description: 'Your API key, `psk_...`, without the word Bearer.',
    });
  const externalDocs = ({ description, address }: Documentation) => {
    const url = absoluteUrl(env, address);
    return url === undefined ? undefined : { description, url };
  };
  for (const { name, description, documentation } of operationGroups(app))
    builder.addTag(name, description, documentation && externalDocs(documentation));
  const { info, ...rest } = builder.build();
  const documentation = externalDocs({ description: 'Plans, limits and bans', address: PLANS_PAGE });
  const contactUrl = absoluteUrl(env, '/docs');
  const servers = [
    {
      url: env.BASE_URL ?? API_PREFIX,
      description:
        env.BASE_URL === undefined ? `This server (${env.ENVIRONMENT})` : isStaging ? 'Staging' : 'Production',
    },
    // On a staging service, the first server is the staging environment.
    ...(env.STAGING_BASE_URL === undefined || isStaging ? [] : [{ url: env.STAGING_BASE_URL, description: 'Staging' }]),
  ];
  return {
    ...rest,
    ...(documentation && { externalDocs: documentation }),
    // Everybody with a key can call it.
    servers: servers.map((server) => ({ ...server, 'x-internal': false })),
    info: { ...info, contact: { name: 'Pet Store Service', ...(contactUrl && { url: contactUrl }) } },
  };
}

/** Many tools refuse relative URLs of pages, and without BASE_URL the service does not know its own address. */
function absoluteUrl(env: Env, address: string): string | undefined {
  const url = publicPath(env, address);
  return URL.canParse(url) ? url : undefined;
}

/** All operations of a document. */
export function operationsOf({ paths }: Pick<OpenAPIObject, 'paths'>): LivingOperation[] {
  return Object.values(paths).flatMap((item) => Object.values(item as Record<string, LivingOperation>));
}
