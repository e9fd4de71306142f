import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiQuery } from '@nestjs/swagger';
import type { ErrorCode } from '../errors/index.js';
import { replyOf, requestOf } from '../http/index.js';
import { type Examples, namedExamples, operationPart } from '../openapi/index.js';
import { parseJson } from './parse-json.js';
import { parseQuery } from './parse-query.js';
import { queryRules } from './query-params.js';
import { type BodyMediaTypes, MERGE_PATCH_MEDIA_TYPES, readBody } from './read-body.js';
import { validateBody } from './validate-body.js';

type Dto<T extends object> = new () => T;

declare module 'fastify' {
  interface FastifyRequest {
    /** The bytes that JsonBody has read. */
    rawBody: Buffer | undefined;
  }
}

const TAKES_QUERY = 'petstore:takes-query';

/** How reading a body can end, besides in a field that is not what it should be. */
const BODY_ERRORS: readonly ErrorCode[] = ['malformed_json', 'payload_too_large', 'unsupported_media_type', 'request_timeout'];

/**
 * Hands a handler the request body as a checked instance of a DTO, and documents it.
 * The body is read here, after the guards: nobody's body is read before the caller may send one.
 * @param examples bodies that work as they stand, by what they show; the explorer offers them
 */
export function JsonBody<T extends object>(Type: Dto<T>, examples: Examples = {}): ParameterDecorator {
  return body(Type, examples);
}

/** Like JsonBody, for a JSON merge patch (RFC 7396), which may come under that name too. */
export function MergePatchBody<T extends object>(Type: Dto<T>, examples: Examples = {}): ParameterDecorator {
  return body(Type, examples, MERGE_PATCH_MEDIA_TYPES, ApiConsumes(...MERGE_PATCH_MEDIA_TYPES.names));
}

function body<T extends object>(Type: Dto<T>, examples: Examples, accepted?: BodyMediaTypes, ...documented: MethodDecorator[]): ParameterDecorator {
  const read = async (_: unknown, context: ExecutionContext): Promise<T> => {
    const request = requestOf(context);
    request.rawBody = await readBody(request.raw, replyOf(context).raw, accepted);
    return validateBody(Type, parseJson(request.rawBody));
  };
  const document = ApiBody({ type: Type, required: true, examples: namedExamples(examples) });
  return createParamDecorator(read, [operationPart({ errors: BODY_ERRORS }, document, ...documented)])();
}

/** Hands a handler the query string as a checked instance of a DTO, and documents its parameters. */
export function StrictQuery<T extends object>(Type: Dto<T>): ParameterDecorator {
  const read = (_: unknown, context: ExecutionContext): T => parseQuery(Type, requestOf(context).query);
  const documented = [...queryRules(Type)]
    .map(([name, { document }]) => ApiQuery({ name, required: false, ...document }));
  return createParamDecorator(read, [operationPart({}, SetMetadata(TAKES_QUERY, true), ...documented)])();
}

/** Whether a handler has a parameter for the query string. */
export function takesQuery(handler: Function): boolean {
  return Reflect.hasMetadata(TAKES_QUERY, handler);
}
