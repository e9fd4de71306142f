import type { INestApplication } from '@nestjs/common';
import { type ContentObject, type OpenAPIObject, type ReferenceObject, SwaggerModule } from '@nestjs/swagger';
import { KnownScopes } from '../../auth/keys/scopes.js';
import { HEADER_COMPONENTS } from '../../http/response-headers.js';
import { removalMs } from '../../lifecycle/deprecation.interceptor.js';
import { Clock } from '../../platform/config/clock.js';
import { Env } from '../../platform/config/env.js';
import { errorSchemas } from '../documented-errors.js';
import { completeOperation, type DocumentedOperation, type ScannedOperation, type SharedParts } from './operations.js';
import { outlineOf } from './outline.js';
import { convertSchema, mapValues, withoutExamples } from './schemas.js';

type PathItem = Record<string, DocumentedOperation>;

/** The document without removed operations. It is built once, and again after each removal date. */
export class CurrentDocument {
  private readonly clock: Clock;
  private readonly env: Env;
  private readonly whole: OpenAPIObject;
  private current: { readonly remaining: number; readonly document: OpenAPIObject } | undefined;

  /** @param errorCodes of extensions, that no operation lists */
  constructor(app: INestApplication, errorCodes: readonly string[]) {
    this.clock = app.get(Clock);
    this.env = app.get(Env);
    this.whole = createDocument(app, errorCodes);
  }

  /** The same object as long as the document does not change. */
  get(): OpenAPIObject {
    const nowMs = this.clock.nowMs();
    const remains = ({ 'x-sunset': sunset }: DocumentedOperation) =>
      sunset === undefined || nowMs < removalMs(sunset, this.env);
    const remaining = operationsOf(this.whole).filter(remains).length;
    if (this.current?.remaining !== remaining) {
      const paths = Object.entries(this.whole.paths as Record<string, PathItem>).flatMap(([path, item]) => {
        const operations = Object.entries(item).filter(([, operation]) => remains(operation));
        return operations.length === 0 ? [] : [[path, Object.fromEntries(operations)]];
      });
      this.current = { remaining, document: { ...this.whole, paths: Object.fromEntries(paths) } };
    }
    return this.current.document;
  }
}

function createDocument(app: INestApplication, errorCodes: readonly string[]): OpenAPIObject {
  const env = app.get(Env);
  const options = { ignoreGlobalPrefix: true };
  const { paths, components, ...outline } = SwaggerModule.createDocument(app, outlineOf(app, env), options);
  const shared: SharedParts = {
    schemas: mapValues(components?.schemas ?? {}, convertSchema),
    parameters: new Map(),
    responses: new Map(),
  };
  const codes = (operationsOf({ paths }) as ScannedOperation[]).flatMap(({ 'x-errors': errors = [] }) =>
    errors.map(({ code }) => code),
  );
  for (const item of Object.values(paths) as PathItem[])
    for (const [method, scanned] of Object.entries(item))
      item[method] = completeOperation(method, scanned as ScannedOperation, shared, env);
  const contents = operationsOf({ paths }).flatMap(contentsOf);
  const parameters = share('parameters', shared.parameters);
  const responses = share('responses', shared.responses);
  for (const operation of operationsOf({ paths })) {
    operation.parameters = (operation.parameters ?? []).map(parameters.refer);
    for (const [status, response] of Object.entries(operation.responses))
      operation.responses[status] = response && responses.refer(response);
  }
  return {
    ...outline,
    paths,
    components: {
      ...components,
      schemas: {
        ...withoutExamples(shared.schemas, contents),
        ApiKeyScope: { ...shared.schemas['ApiKeyScope'], enum: [...app.get(KnownScopes).names] },
        ...errorSchemas([...codes, ...errorCodes]),
      },
      responses: responses.components,
      parameters: parameters.components,
      headers: HEADER_COMPONENTS,
    },
  };
}

function operationsOf({ paths }: Pick<OpenAPIObject, 'paths'>): DocumentedOperation[] {
  return Object.values(paths).flatMap((item) => Object.values(item as PathItem));
}

/** The contents of an operation's request and of its successful responses. */
function contentsOf({ requestBody, responses }: DocumentedOperation): ContentObject[] {
  const successes = Object.entries(responses).flatMap(([status, response]) => (status < '300' ? [response] : []));
  return [requestBody, ...successes].flatMap((part) =>
    part !== undefined && 'content' in part && part.content !== undefined ? [part.content] : [],
  );
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
