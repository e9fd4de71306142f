import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { IsIn, ValidateBy, ValidateIf } from 'class-validator';
import { type EnumOptions, enumSchema } from './enum-schema.js';
import { isInt64 } from './int64.js';

/*
 * The fields of request bodies. Each decorator is one declaration for both the check at run time and the schema in the
 * OpenAPI document, so that a client can know every rule that is enforced.
 */

interface FieldOptions {
  readonly description: string;
  readonly example: string | number | boolean | readonly string[];
  /** Whether the field may be left out; `null` never stands for left out. */
  readonly optional?: boolean;
}

/** At least one character that is not white space, and no control character (Unicode category Cc). */
const PRINTABLE = '^[^\\u0000-\\u001F\\u007F-\\u009F]*[^\\s\\u0000-\\u001F\\u007F-\\u009F][^\\u0000-\\u001F\\u007F-\\u009F]*$';

/** A line of text, measured in Unicode code points as JSON Schema does. */
export function TextField(options: FieldOptions & { readonly maxLength: number }): PropertyDecorator {
  const { maxLength } = options;
  const printable = new RegExp(PRINTABLE);
  const expectation = `$property must be a string of 1 to ${maxLength} characters, not only white space, without control characters or lone surrogates`;
  const validate = (value: unknown) =>
    // UTF-16 needs up to two units for a code point: a longer string need not be looked at.
    typeof value === 'string' && value.length <= 2 * maxLength && value.isWellFormed() && [...value].length <= maxLength && printable.test(value);
  return field(options, { type: String, minLength: 1, maxLength, pattern: PRINTABLE }, [check('text', validate, expectation)]);
}

/** An integer of the whole int64 range, exact beyond 2^53. */
export function Int64Field(options: FieldOptions): PropertyDecorator {
  const expectation = '$property must be an integer from -9223372036854775808 to 9223372036854775807';
  return field(options, { type: 'integer', format: 'int64' }, [check('int64', isInt64, expectation)]);
}

/** An identifier that the service has given. */
export function IdField(options: FieldOptions): PropertyDecorator {
  const expectation = '$property must be an integer from 1 to 9223372036854775807';
  return field(options, { type: 'integer', format: 'int64', minimum: 1 }, [check('id', (value) => isInt64(value) && value >= 1, expectation)]);
}

/**
 * One of a fixed set of words.
 * @param options `nullable` lets the field be `null` as well; some other field or parameter has to use the set without
 */
export function EnumField(options: FieldOptions & EnumOptions & { readonly nullable?: boolean }): PropertyDecorator {
  const { name, values, nullable = false } = options;
  const message = `$property must be one of ${values.join(', ')}`;
  if (!nullable) return field(options, enumSchema(options), [IsIn(values, { message })]);
  const schema = { anyOf: [{ $ref: `#/components/schemas/${name}` }, { type: 'null' }] };
  return field(options, schema as ApiPropertyOptions, [IsIn([...values, null], { message: `${message}, or null` })]);
}

/** Some of a fixed set of words, each once, at least one. */
export function EnumListField(options: FieldOptions & EnumOptions): PropertyDecorator {
  const { values } = options;
  const validate = (value: unknown) =>
    // As long as all values at most: a longer list repeats one, and need not be looked at.
    Array.isArray(value) && value.length > 0 && value.length <= values.length && new Set(value).size === value.length && value.every((item) => values.includes(item as string));
  const schema = { ...enumSchema(options), isArray: true, minItems: 1, uniqueItems: true };
  return field(options, schema, [check('enumList', validate, `$property must be a list of one or more of ${values.join(', ')}, each once`)]);
}

/** An integer of a range within what a JavaScript number holds exactly. */
export function IntegerField(options: FieldOptions & { readonly minimum: number; readonly maximum: number; readonly default?: number }): PropertyDecorator {
  const { minimum, maximum } = options;
  const standIn = options.default === undefined ? {} : { default: options.default };
  const validate = (value: unknown) => typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum;
  return field(options, { type: 'integer', minimum, maximum, ...standIn }, [check('integer', validate, `$property must be an integer from ${minimum} to ${maximum}`)]);
}

/** `true` or `false`. */
export function BooleanField(options: FieldOptions): PropertyDecorator {
  return field(options, { type: Boolean }, [check('boolean', (value) => typeof value === 'boolean', '$property must be true or false')]);
}

function field(options: FieldOptions, schema: ApiPropertyOptions, rules: PropertyDecorator[]): PropertyDecorator {
  const { description, example, optional = false } = options;
  return applyDecorators(
    ApiProperty({ ...schema, description, example, required: !optional } as ApiPropertyOptions),
    ...(optional ? [ValidateIf((_, value) => value !== undefined)] : []),
    ...rules,
  );
}

function check(name: string, validate: (value: unknown) => boolean, message: string): PropertyDecorator {
  return ValidateBy({ name, validator: { validate } }, { message });
}
