import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { ValidateBy, ValidateIf } from 'class-validator';

export type JsonType = 'a string' | 'an integer' | 'true or false' | 'a list' | 'an object';

export interface FieldOptions {
  readonly description: string;
  readonly example: string | number | boolean | readonly string[];
  /** Whether the field can be omitted; `null` does not mean omitted. */
  readonly optional?: boolean;
  readonly nullable?: boolean;
}

/** What a value must do, such as `be an integer from 1 to 5`. */
type Rule = string | ((value: unknown) => string);

/** @param rule for values of the type @param isValid for values other than `null` */
export function bodyField(
  options: Partial<FieldOptions>,
  schema: ApiPropertyOptions,
  type: JsonType,
  rule: Rule,
  isValid: (value: unknown) => boolean,
): PropertyDecorator {
  if (options.nullable !== true) return field(options, schema, typed(type, rule, options), isValid);
  const orNull = (value: unknown) => `${ruleFor(rule, value) || `be ${type}`}, or be null`;
  const either = { ...schema, nullable: true } as ApiPropertyOptions;
  return field(options, either, typed(type, orNull, options), (value) => value === null || isValid(value));
}

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

function ruleFor(rule: Rule, value: unknown): string {
  return typeof rule === 'string' ? rule : rule(value);
}

function typed(type: JsonType, rule: Rule, { optional = false }: { readonly optional?: boolean }) {
  return (value: unknown): string => {
    if (value === undefined) return 'is required';
    const sent = typeOf(value);
    return sent === type
      ? `must ${ruleFor(rule, value)}`
      : `must be ${type}, not ${sent}${hintOn(value, type, optional)}`;
  };
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string' || typeof value === 'boolean') return `a ${typeof value}`;
  if (typeof value === 'object') return 'an object';
  // The parser makes NaN of an integer that is far too large.
  return Number.isFinite(value) && !Number.isInteger(value) ? 'a number with a fraction' : 'an integer';
}

function hintOn(value: unknown, type: JsonType, optional: boolean): string {
  if (value === null) return optional ? ' (leave it out instead)' : '';
  if (type === 'a string') return typeof value === 'object' ? '' : ' (put it in quotes)';
  const unquoted = type === 'an integer' ? /^-?[0-9]+$/ : /^(?:true|false)$/i;
  return typeof value === 'string' && unquoted.test(value) ? ' (send it without quotes)' : '';
}
