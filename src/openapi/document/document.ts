import type { INestApplication } from '@nestjs/common';
import { type OpenAPIObject, type ReferenceObject, SwaggerModule } from '@nestjs/swagger';
import { KnownScopes } from '../../auth/keys/scopes.js';
import { HEADER_COMPONENTS } from '../../http/response-headers.js';
import { removalMs } from '../../lifecycle/deprecation.interceptor.js';
import { EventTypes } from '../../database/events/event-types.js';
import { Clock } from '../../platform/config/clock.js';
import { Env } from '../../platform/config/env.js';
import { errorSchemas } from '../documented-errors.js';
import { completeOperation, type DocumentedOperation, type ScannedOperation, type SharedParts } from './operations.js';
import { outlineOf } from './outline.js';
import { convertSchema, mapValues, nameSharedValues, withoutExamples } from './schemas.js';
import { patternsOf, webhooksOf } from './webhooks.js';

type PathItem = Record<string, DocumentedOperation>;

/**
 * Returns the document without removed operations: the same object until the next removal date.
 * @param errorCodes of extensions, that no operation lists
 */
export function currentDocument(app: INestApplication, errorCodes: readonly string[]): () => OpenAPIObject {
  const [clock, env] = [app.get(Clock), app.get(Env)];
  const whole = createDocument(app, env, errorCodes);
  let current = { count: operationsOf(whole).length, document: whole };
  return () => {
    const nowMs = clock.nowMs();
    const remains = ({ 'x-sunset': sunset }: DocumentedOperation) =>
      sunset === undefined || nowMs < removalMs(sunset, env);
    const count = operationsOf(whole).filter(remains).length;
    if (current.count !== count) {
      const paths = Object.entries(whole.paths as Record<string, PathItem>).flatMap(([path, item]) => {
        const operations = Object.entries(item).filter(([, operation]) => remains(operation));
        return operations.length === 0 ? [] : [[path, Object.fromEntries(operations)]];
      });
      current = { count, document: { ...whole, paths: Object.fromEntries(paths) } };
    }
    return current.document;
  };
}

function createDocument(app: INestApplication, env: Env, errorCodes: readonly string[]): OpenAPIObject {
  const types = env.EVENTS === 'on' ? [...app.get(EventTypes, { strict: false }).all] : [];
  const options = { ignoreGlobalPrefix: true, extraModels: types.map(({ schema }) => schema) };
  const { paths, components, ...outline } = SwaggerModule.createDocument(app, outlineOf(app, env), options);
  const shared: SharedParts = {
    schemas: mapValues(components?.schemas ?? {}, convertSchema),
    parameters: new Map(),
    responses: new Map(),
    contents: [],
  };
  const scanned = operationsOf({ paths }) as ScannedOperation[];
  const codes = scanned.flatMap(({ 'x-errors': errors = [] }) => errors.map(({ code }) => code));
  for (const item of Object.values(paths) as PathItem[])
    for (const [method, operation] of Object.entries(item))
      item[method] = completeOperation(method, operation as ScannedOperation, shared, env);
  const parameters = share('parameters', shared.parameters);
  const responses = share('responses', shared.responses);
  for (const operation of operationsOf({ paths })) {
    operation.parameters = (operation.parameters ?? []).map(parameters.refer);
    for (const [status, response] of Object.entries(operation.responses))
      operation.responses[status] = response && responses.refer(response);
  }
  const posted = types.length === 0 ? undefined : webhooksOf(types);
  return {
    ...outline,
    paths,
    ...(posted && { webhooks: posted.webhooks }),
    components: {
      ...components,
      schemas: nameSharedValues({
        ...withoutExamples(shared.schemas, shared.contents),
        ApiKeyScope: { ...shared.schemas['ApiKeyScope'], enum: [...app.get(KnownScopes).names] },
        ...('EventPattern' in shared.schemas && {
          EventPattern: { ...shared.schemas['EventPattern'], enum: patternsOf(types) },
        }),
        ...errorSchemas([...codes, ...errorCodes]),
      }),
      responses: { ...responses.components, ...posted?.responses },
      parameters: { ...parameters.components, ...posted?.parameters },
      headers: HEADER_COMPONENTS,
    },
  };
}

function operationsOf({ paths }: Pick<OpenAPIObject, 'paths'>): DocumentedOperation[] {
  return Object.values(paths).flatMap((item) => Object.values(item as PathItem));
}

/** Moves parts that several operations have to the components of the document. `refer` replaces them by references. */
function share<Part>(kind: string, names: ReadonlyMap<Part, string>) {
  const components: Record<string, Part> = {};
  const references = new Map<unknown, ReferenceObject>();
  for (const same of Map.groupBy(names, ([part, name]) => `${name} ${JSON.stringify(part)}`).values()) {
    const [first] = same;
    if (first === undefined || same.length < 2) continue;
    const [part, name] = first;
    let free = name;
    for (let n = 2; free in components; n += 1) free = `${name}${n}`;
    components[free] = part;
    for (const [one] of same) references.set(one, { $ref: `#/components/${kind}/${free}` });
  }
  return { components, refer: (part: Part | ReferenceObject) => references.get(part) ?? part };
}
