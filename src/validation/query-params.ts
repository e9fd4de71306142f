import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ValidateBy, ValidateIf } from 'class-validator';
import { type EnumOptions, enumSchema } from './fields.js';
import { isCanonicalId, isCanonicalInt64 } from './int64.js';

/*
 * The fields of query DTOs. Each decorator declares both the check and the OpenAPI schema. A value is accepted as it is or
 * refused; it is never clamped, trimmed or coerced.
 */

const MAX_ID_LENGTH = '9223372036854775807'.length;

/** How a parameter is parsed. */
interface ParamRule {
  /** Whether a value meets `expectation`; a repeated parameter is an array, unless `parse` joins it. */
  readonly isValid: (value: unknown) => boolean;
  readonly expectation: string;
  /** The schema; `explode: false` documents a list as one parameter with commas. */
  readonly schema: ApiPropertyOptions & { readonly explode?: false };
  /** Converts the text, or the array of a repeated parameter, to the value of the DTO, if that is another. */
  readonly parse?: (value: unknown) => unknown;
}

/** What every parameter of a query declares. */
export interface ParamOptions {
  readonly description: string;
}

/** An integer in canonical decimal form. */
export function IntegerParam(
  options: ParamOptions & { readonly minimum: number; readonly maximum: number; readonly default: number },
) {
  const { minimum, maximum } = options;
  return param(options, {
    parse: (value) => (typeof value === 'string' && /^(?:0|-?[1-9][0-9]{0,14})$/.test(value) ? Number(value) : value),
    isValid: (value) => typeof value === 'number' && value >= minimum && value <= maximum,
    expectation: `an integer from ${minimum} to ${maximum}`,
    schema: { type: 'integer', minimum, maximum, default: options.default, example: options.default },
  });
}

/** An identifier, kept as decimal digits because it can exceed 2^53. */
export function IdParam(options: ParamOptions) {
  return param(options, {
    isValid: (value) => typeof value === 'string' && isCanonicalId(value),
    expectation: 'an integer from 1 to 9223372036854775807',
    schema: { type: 'integer', format: 'int64', minimum: 1, example: 1 },
  });
}

/** Identifiers separated by commas, kept as they are written. The parameter can be repeated, as some clients do for lists. */
export function IdListParam(options: ParamOptions & { readonly maxItems: number }) {
  const { maxItems } = options;
  const maxLength = maxItems * (MAX_ID_LENGTH + 1);
  const areIds = (ids: readonly string[]) => ids.length <= maxItems && ids.every(isCanonicalId);
  return param(options, {
    parse: (value) => (Array.isArray(value) ? value.join(',') : value),
    isValid: (value) => typeof value === 'string' && value.length <= maxLength && areIds(value.split(',')),
    expectation: `1 to ${maxItems} integers from 1 to 9223372036854775807, separated by commas`,
    schema: {
      type: 'array',
      items: { type: 'integer', format: 'int64', minimum: 1 },
      minItems: 1,
      maxItems,
      explode: false,
      example: [1, 2],
    },
  });
}

/** Any int64, kept as decimal digits. */
export function Int64Param(options: ParamOptions) {
  return param(options, {
    isValid: (value) => typeof value === 'string' && isCanonicalInt64(value),
    expectation: 'an integer from -9223372036854775808 to 9223372036854775807',
    schema: { type: 'integer', format: 'int64', example: 1 },
  });
}

/** Text that matches a pattern, such as an identifier that is not a number. */
export function PatternParam(
  options: ParamOptions & {
    readonly pattern: RegExp;
    readonly maxLength: number;
    readonly expectation: string;
    readonly example: string;
  },
) {
  const { pattern, maxLength, expectation, example } = options;
  const isValid = (value: unknown) => typeof value === 'string' && pattern.test(value);
  const schema = { type: 'string', pattern: pattern.source, maxLength, example } as const;
  return param(options, { isValid, expectation, schema });
}

/** A value of an enum. */
export function EnumParam(options: ParamOptions & EnumOptions) {
  const { values } = options;
  const isValid = (value: unknown) => typeof value === 'string' && values.includes(value);
  return param(options, { isValid, expectation: `one of ${values.join(', ')}`, schema: enumSchema(options) });
}

function param({ description }: ParamOptions, { parse, isValid, expectation, schema }: ParamRule): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ description, ...schema } as ApiPropertyOptions),
    ...(parse === undefined ? [] : [Transform(({ value }) => parse(value))]),
    ValidateIf((_, value) => value !== undefined),
    ValidateBy(
      { name: 'param', validator: { validate: isValid } },
      { message: ({ value }) => `$property must be ${Array.isArray(value) ? 'given only once' : expectation}` },
    ),
  );
}
