import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiBody, ApiQuery } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Examples, namedExamples } from '../openapi/index.js';
import { parseJson } from './parse-json.js';
import { parseQuery } from './parse-query.js';
import { queryRules } from './query-params.js';
import { readBody } from './read-body.js';
import { validateBody } from './validate-body.js';

type Dto<T extends object> = new () => T;

const TAKES_QUERY = 'petstore:takes-query';

/**
 * Hands a handler the request body as a checked instance of a DTO, and documents it.
 * The body is read here, after the guards: nobody's body is read before the caller may send one.
 * @param examples bodies that work as they stand, by what they show; the explorer offers them
 */
export function JsonBody<T extends object>(Type: Dto<T>, examples: Examples = {}): ParameterDecorator {
  const read = async (_: unknown, context: ExecutionContext): Promise<T> => {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return validateBody(Type, parseJson(await readBody(requestOf(context).raw, reply.raw)));
  };
  return createParamDecorator(read, [onMethod(ApiBody({ type: Type, required: true, examples: namedExamples(examples) }))])();
}

/** Hands a handler the query string as a checked instance of a DTO, and documents its parameters. */
export function StrictQuery<T extends object>(Type: Dto<T>): ParameterDecorator {
  const read = (_: unknown, context: ExecutionContext): T => parseQuery(Type, requestOf(context).query);
  const documented = [...queryRules(Type)]
    .map(([name, { document }]) => onMethod(ApiQuery({ name, required: false, ...document })));
  return createParamDecorator(read, [onMethod(SetMetadata(TAKES_QUERY, true)), ...documented])();
}

/** Whether a handler has a parameter for the query string. */
export function takesQuery(handler: Function): boolean {
  return Reflect.hasMetadata(TAKES_QUERY, handler);
}

function requestOf(context: ExecutionContext): FastifyRequest {
  return context.switchToHttp().getRequest<FastifyRequest>();
}

/** Applies a method decorator where a parameter of the method is decorated. */
function onMethod(decorate: MethodDecorator): ParameterDecorator {
  return (target, name) => {
    const descriptor = name === undefined ? undefined : Object.getOwnPropertyDescriptor(target, name);
    if (name !== undefined && descriptor !== undefined) decorate(target, name, descriptor);
  };
}
