import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiParam, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { DomainError } from '../../platform/errors/domain-error.js';
import { ApiError } from '../errors/api-error.js';
import { isCanonicalId, isCanonicalInt64 } from '../../platform/int64.js';
import { documentParameter } from '../requests/handler-metadata.js';
import { requestOf } from '../requests/request.js';
import { field, type FieldOptions } from './field.js';
import { type EnumOptions, enumSchema, ID_RANGE, INT64_RANGE } from './fields.js';

// Each decorator declares both the check and the OpenAPI schema. A value is never clamped, trimmed or coerced.

export type ParamOptions = Pick<FieldOptions, 'description'>;

/** An integer in canonical decimal form. */
export function IntegerParam(
  options: ParamOptions & { readonly minimum: number; readonly maximum: number; readonly default: number },
): PropertyDecorator {
  const { minimum, maximum } = options;
  const schema = { type: 'integer', minimum, maximum, default: options.default, example: options.default } as const;
  const isValid = (value: unknown) => typeof value === 'number' && value >= minimum && value <= maximum;
  return applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && /^(?:0|-?[1-9][0-9]{0,14})$/.test(value) ? Number(value) : value,
    ),
    param(options, schema, `an integer from ${minimum} to ${maximum}`, isValid),
  );
}

/** An identifier, kept as decimal digits because it can exceed 2^53. */
export function IdParam(options: ParamOptions): PropertyDecorator {
  return textParam(options, { type: 'integer', format: 'int64', minimum: 1, example: 1 }, ID_RANGE, isCanonicalId);
}

/** Identifiers separated by commas, kept as digits. The parameter can be repeated, as some clients do for lists. */
export function IdListParam(options: ParamOptions & { readonly maxItems: number }): PropertyDecorator {
  const { maxItems } = options;
  const maxLength = maxItems * '9223372036854775807,'.length;
  const items = { type: 'integer', format: 'int64', minimum: 1 };
  // `explode: false` documents a list as one parameter with commas.
  const schema = { type: 'array', items, minItems: 1, maxItems, explode: false, example: [1, 2] } as ApiPropertyOptions;
  const expected = `1 to ${maxItems} integers from 1 to 9223372036854775807, separated by commas`;
  const areIds = (ids: readonly string[]) => ids.length <= maxItems && ids.every(isCanonicalId);
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => (Array.isArray(value) ? value.join(',') : value)),
    textParam(options, schema, expected, (text) => text.length <= maxLength && areIds(text.split(','))),
  );
}

/** Any int64, kept as decimal digits. */
export function Int64Param(options: ParamOptions): PropertyDecorator {
  return textParam(options, { type: 'integer', format: 'int64', example: 1 }, INT64_RANGE, isCanonicalInt64);
}

export function BooleanParam(options: ParamOptions): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value)),
    param(options, { type: 'boolean' }, 'true or false', (value) => typeof value === 'boolean'),
  );
}

/** Text that matches a pattern, such as an identifier that is not a number. */
export function PatternParam(
  options: ParamOptions & {
    readonly pattern: RegExp;
    readonly maxLength: number;
    readonly expectation: string;
    readonly example: string;
  },
): PropertyDecorator {
  const { pattern, maxLength, expectation, example } = options;
  const schema = { type: 'string', pattern: pattern.source, maxLength, example } as const;
  return textParam(options, schema, expectation, (text) => text.length <= maxLength && pattern.test(text));
}

export function EnumParam(options: ParamOptions & EnumOptions): PropertyDecorator {
  const { values } = options;
  return textParam(options, enumSchema(options), `one of ${values.join(', ')}`, (text) => values.includes(text));
}

function textParam(
  options: ParamOptions,
  schema: ApiPropertyOptions,
  expected: string,
  isValid: (text: string) => boolean,
): PropertyDecorator {
  return param(options, schema, expected, (value) => typeof value === 'string' && isValid(value));
}

export function param(
  { description }: ParamOptions,
  schema: ApiPropertyOptions,
  expected: string,
  isValid: (value: unknown) => boolean,
): PropertyDecorator {
  const fault = (value: unknown) => `must be ${Array.isArray(value) ? 'given only once' : expected}`;
  return field({ description, optional: true }, schema, fault, isValid);
}

const DEFAULT_LIMIT = 20;
/** More than an entry of an index of PostgreSQL can have. */
const MAX_CURSOR_LENGTH = 4_096;

export abstract class LimitQuery {
  @IntegerParam({ description: 'Maximum number of items to return.', minimum: 1, maximum: 100, default: DEFAULT_LIMIT })
  limit = DEFAULT_LIMIT;
}

/** `limit` and `after` of a list that `readPage` reads. Extend it with the filters of the list. */
export class PageQuery extends LimitQuery {
  @PatternParam({
    description: 'Cursor from the `Link` of the previous page.',
    pattern: /^[\w-]+$/,
    maxLength: MAX_CURSOR_LENGTH,
    expectation: 'as in the Link header of the previous page',
    example: 'WyI1IiwiMTciXQ',
  })
  after?: string;
}

export interface PathIdOptions {
  readonly description: string;
  readonly example?: number;
  /** The error for an impossible identifier. It does not quote the client's text, which may contain an API key. */
  readonly notFound: () => DomainError | ApiError;
  /** Whether zero and negative numbers are identifiers too. */
  readonly isAnyInt64?: boolean;
}

/** What to do about an identifier that is the placeholder of a path in documentation. @param name of the parameter */
export function placeholderAdvice(id: string, name: string): string | undefined {
  return /^(?:\{.*\}|<.*>|:[a-z]\w*)$/i.test(id) ? `Replace {${name}} with it.` : undefined;
}

/** Injects an identifier in the path as decimal digits, and documents it. Other forms are not found. */
export function PathId(
  name: string,
  { description, example = 1, notFound, isAnyInt64 = false }: PathIdOptions,
): ParameterDecorator {
  const isCanonical = isAnyInt64 ? isCanonicalInt64 : isCanonicalId;
  const read = (_: unknown, context: ExecutionContext): string => {
    const { [name]: id = '' } = requestOf(context).params as Record<string, string>;
    if (isCanonical(id)) return id;
    const error = notFound();
    const range = isAnyInt64 ? INT64_RANGE : ID_RANGE;
    const message = `${error.message} ${placeholderAdvice(id, name) ?? `It must be ${range}.`}`;
    throw error instanceof ApiError ? ApiError.of({ ...error.problem, message }) : new DomainError(error.code, message);
  };
  const schema = { type: 'integer' as const, format: 'int64', ...(isAnyInt64 ? {} : { minimum: 1 }), example };
  return createParamDecorator(read, [documentParameter(ApiParam({ name, description, schema }))])();
}
