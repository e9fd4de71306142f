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
  readonly example: string | number;
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

/** One of a fixed set of words. */
export function EnumField(options: FieldOptions & EnumOptions): PropertyDecorator {
  const { values } = options;
  return field(options, enumSchema(options), [IsIn(values, { message: `$property must be one of ${values.join(', ')}` })]);
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
