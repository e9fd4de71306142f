import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { ValidateBy, ValidateIf } from 'class-validator';
import { type JsonType, typed } from './json-types.js';

/** What every field of a body declares. */
export interface FieldOptions {
  readonly description: string;
  readonly example: string | number | boolean | readonly string[];
  /** Whether the field can be omitted; `null` does not mean omitted. */
  readonly optional?: boolean;
  /** Whether the field can be `null`. */
  readonly nullable?: boolean;
}

/**
 * A field of a body.
 * @param type of its values in JSON
 * @param rule for values of this type, such as `be an integer from 1 to 5`
 * @param isValid whether a value other than `null` is valid
 */
export function bodyField(
  options: Partial<FieldOptions>,
  schema: ApiPropertyOptions,
  type: JsonType,
  rule: string,
  isValid: (value: unknown) => boolean,
): PropertyDecorator {
  if (options.nullable !== true) return field(options, schema, typed(type, rule, options), isValid);
  const orNull = `${rule === '' ? `be ${type}` : rule}, or be null`;
  const either = { ...schema, nullable: true } as ApiPropertyOptions;
  return field(options, either, typed(type, orNull, options), (value) => value === null || isValid(value));
}

/** @param fault the end of the message on an invalid value */
export function field(
  { description, example, optional = false }: Partial<FieldOptions>,
  schema: ApiPropertyOptions,
  fault: (value: unknown) => string,
  isValid: (value: unknown) => boolean,
): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ description, example, ...schema, required: !optional } as ApiPropertyOptions),
    ...(optional ? [ValidateIf((_, value) => value !== undefined)] : []),
    ValidateBy(
      { name: 'field', validator: { validate: isValid } },
      { message: ({ value }) => `$property ${fault(value)}` },
    ),
  );
}
