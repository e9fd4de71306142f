import type { ApiQueryOptions } from '@nestjs/swagger';
import { type EnumOptions, enumSchema } from './enum-schema.js';
import { isCanonicalId, isCanonicalInt64 } from './int64.js';

/*
 * The parameters of query strings. As with the fields of bodies, one declaration serves the parser and the OpenAPI
 * document. Text is taken as it is written or refused: never clamped, trimmed or coerced.
 */

/** How one parameter is read: `parse` gives `undefined` for text that is not what `expectation` asks for. */
export interface QueryRule {
  readonly parse: (text: string) => unknown;
  readonly expectation: string;
  readonly document: ApiQueryOptions;
}

const RULES = 'petstore:query-rules';

/** The rules of a query DTO by parameter name. */
export function queryRules(Dto: Function): ReadonlyMap<string, QueryRule> {
  return (Reflect.getMetadata(RULES, Dto) as Map<string, QueryRule> | undefined) ?? new Map();
}

interface ParamOptions {
  readonly description: string;
}

/** An integer in canonical decimal form. */
export function IntegerParam(options: ParamOptions & { readonly minimum: number; readonly maximum: number; readonly default: number }) {
  const { description, minimum, maximum } = options;
  const parse = (text: string) => {
    const value = /^(?:0|-?[1-9][0-9]{0,14})$/.test(text) ? Number(text) : Number.NaN;
    return value >= minimum && value <= maximum ? value : undefined;
  };
  const schema = { type: 'integer' as const, minimum, maximum, default: options.default, example: options.default };
  return param({ parse, expectation: `an integer from ${minimum} to ${maximum}`, document: { description, schema } });
}

/** An identifier, kept as its decimal digits since it may be beyond 2^53. */
export function IdParam({ description }: ParamOptions) {
  const schema = { type: 'integer' as const, format: 'int64', minimum: 1, example: 1 };
  return param({ parse: (text) => (isCanonicalId(text) ? text : undefined), expectation: 'an integer from 1 to 9223372036854775807', document: { description, schema } });
}

/** Any int64, kept as its decimal digits. */
export function Int64Param({ description }: ParamOptions) {
  const schema = { type: 'integer' as const, format: 'int64', example: 1 };
  const expectation = 'an integer from -9223372036854775808 to 9223372036854775807';
  return param({ parse: (text) => (isCanonicalInt64(text) ? text : undefined), expectation, document: { description, schema } });
}

/** Text of a form, such as an identifier that is no number. */
export function PatternParam(options: ParamOptions & { readonly pattern: RegExp; readonly expectation: string; readonly example: string }) {
  const { description, pattern, expectation, example } = options;
  const schema = { type: 'string' as const, pattern: pattern.source, example };
  return param({ parse: (text) => (pattern.test(text) ? text : undefined), expectation, document: { description, schema } });
}

/** One of a fixed set of words. */
export function EnumParam(options: ParamOptions & EnumOptions) {
  const { description, values } = options;
  const parse = (text: string) => (values.includes(text) ? text : undefined);
  return param({ parse, expectation: `one of ${values.join(', ')}`, document: { description, ...enumSchema(options) } });
}

function param(rule: QueryRule): PropertyDecorator {
  return (target, name) => {
    const rules = new Map(queryRules(target.constructor));
    Reflect.defineMetadata(RULES, rules.set(String(name), rule), target.constructor);
  };
}
