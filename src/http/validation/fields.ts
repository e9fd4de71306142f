import { applyDecorators, type Type as Class } from '@nestjs/common';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import { ValidateIf, ValidateNested } from 'class-validator';
import { listed } from '../../platform/errors/error-codes.js';
import { quoteName } from '../errors/client-names.js';
import { isInt64 } from '../../platform/int64.js';
import { bodyField, type FieldOptions } from './field.js';

// Each decorator declares both the check and the OpenAPI schema, so that clients can know every rule.

export const INT64_RANGE = 'an integer from -9223372036854775808 to 9223372036854775807';
export const ID_RANGE = 'an integer from 1 to 9223372036854775807';

/** Unicode category Cc. */
const CONTROLS = '\\u0000-\\u001F\\u007F-\\u009F';
/** Line separators, and the characters with the property Bidi_Control, which make a terminal show another text. */
const REORDERING = '\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069';

/** What shows nothing besides white space, as far as a schema can say it without properties of characters. */
const INVISIBLE =
  '\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u200B-\\u200F\\u202A-\\u202E\\u2060-\\u206F\\u2800\\u3164\\uFE00-\\uFE0F\\uFFA0\\uFFF0-\\uFFFB';
const visible = /[^\s\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** A line of text with something visible, in Unicode code points. A command line can show it if it is `printed`. */
export function TextField(
  options: FieldOptions & { readonly maxLength: number; readonly printed?: boolean },
): PropertyDecorator {
  const { maxLength, printed = false } = options;
  const refused = printed ? CONTROLS + REORDERING : CONTROLS;
  // Two runs over the text, each of linear time.
  const pattern = `^(?=[\\s\\S]*[^\\s${INVISIBLE}])[^${refused}]*$`;
  const printable = new RegExp(pattern);
  const unprintable = new RegExp(`[${refused}]`);
  const names = printed ? 'control characters, line separators or bidirectional controls' : 'control characters';
  const isValid = (value: unknown) =>
    // A code point takes at most two UTF-16 units, so a longer string need not be scanned.
    typeof value === 'string' &&
    value.length <= 2 * maxLength &&
    value.isWellFormed() &&
    [...value].length <= maxLength &&
    printable.test(value) &&
    visible.test(value);
  const rule = (value: unknown) => {
    const text = String(value);
    const { length } = [...text];
    if (length === 0 || length > maxLength) return `have 1 to ${maxLength} characters, not ${length}`;
    if (!text.isWellFormed()) return 'not have lone surrogates, which are half a character';
    return unprintable.test(text) ? `not have ${names}` : 'have at least one visible character';
  };
  const schema = { type: 'string', minLength: 1, maxLength, pattern } as const;
  return bodyField(options, schema, 'a string', rule, isValid);
}

/** An integer in the int64 range, exact beyond 2^53. */
export function Int64Field(options: FieldOptions): PropertyDecorator {
  return bodyField(options, { type: 'integer', format: 'int64' }, 'an integer', `be ${INT64_RANGE}`, isInt64);
}

/** An identifier that the service assigned. */
export function IdField(options: FieldOptions): PropertyDecorator {
  const schema = { type: 'integer', format: 'int64', minimum: 1 } as const;
  return bodyField(options, schema, 'an integer', `be ${ID_RANGE}`, (value) => isInt64(value) && value >= 1);
}

export interface EnumOptions {
  /** Name of the schema, which all fields and parameters of the enum share, and its description. */
  readonly name: string;
  readonly meaning?: string;
  readonly values: readonly string[];
}

export function enumSchema({ name, values, meaning }: EnumOptions) {
  // The scanner overwrites `description` with that of the first field.
  const shared = { examples: values.slice(0, 1), ...(meaning === undefined ? {} : { 'x-meaning': meaning }) };
  return { enum: [...values], enumName: name, enumSchema: shared };
}

export function EnumField(options: FieldOptions & EnumOptions): PropertyDecorator {
  const rule = `be one of ${options.values.join(', ')}`;
  const isValid = (value: unknown) => options.values.some((one) => one === value);
  return bodyField(options, enumSchema(options), 'a string', rule, isValid);
}

const MAX_ITEMS = 100;

/** A non-empty list of distinct values of an enum. `isOther` accepts further ones, which the handler of the request knows. */
export function EnumListField(
  options: FieldOptions & EnumOptions & { readonly isOther?: (text: string) => boolean },
): PropertyDecorator {
  const { values, isOther = () => false } = options;
  const schema = { ...enumSchema(options), isArray: true, minItems: 1, maxItems: MAX_ITEMS, uniqueItems: true };
  const isItem = (item: unknown) => typeof item === 'string' && (values.includes(item) || isOther(item));
  const faultOf = (items: readonly unknown[]) => {
    if (items.length === 0 || items.length > MAX_ITEMS) return `have 1 to ${MAX_ITEMS} items, not ${items.length}`;
    const other = items.findIndex((item) => !isItem(item));
    if (other === -1) return new Set(items).size === items.length ? undefined : 'have unique items';
    const sent = items[other];
    const quoted = typeof sent === 'string' ? quoteName(sent) : undefined;
    return `contain only ${listed(values, ', ', 60)}${quoted === undefined ? '' : `, not ${quoted}`}`;
  };
  const isValid = (value: unknown) => Array.isArray(value) && faultOf(value) === undefined;
  return bodyField(options, schema, 'a list', (value) => faultOf(value as unknown[]) ?? '', isValid);
}

/** An integer within a range of safe integers. */
export function IntegerField(
  options: FieldOptions & { readonly minimum: number; readonly maximum: number; readonly default?: number },
): PropertyDecorator {
  const { minimum, maximum } = options;
  const isValid = (value: unknown) =>
    typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum;
  const schema: ApiPropertyOptions = { type: 'integer', minimum, maximum, default: options.default };
  return bodyField(options, schema, 'an integer', `be an integer from ${minimum} to ${maximum}`, isValid);
}

export function BooleanField(options: FieldOptions): PropertyDecorator {
  return bodyField(options, { type: 'boolean' }, 'true or false', '', (value) => typeof value === 'boolean');
}

/** A decimal number, as in SQL: `digits` in all, `scale` of them after the point. */
export interface DecimalOptions extends FieldOptions {
  readonly digits: number;
  readonly scale: number;
  /** With all digits of the scale, such as `"0.00"`. */
  readonly minimum?: string;
}

/** A decimal number as a text, such as `"12.50"`, because JSON numbers are rounded. Handlers get all digits of its scale. */
export function DecimalField(options: DecimalOptions): PropertyDecorator {
  const { digits, scale, minimum } = options;
  const whole = digits - scale;
  const fraction = scale === 0 ? '' : String.raw`(?:\.[0-9]{1,${scale}})?`;
  const integer = whole === 0 ? '0' : `(?:0|[1-9][0-9]{0,${whole - 1}})`;
  const sign = minimum?.startsWith('-') === false ? '' : '-?';
  const form = new RegExp(`^${sign}${integer}${fraction}$`);
  const isDecimal = (value: unknown) => typeof value === 'string' && form.test(value);
  const isValid = (value: unknown) => isDecimal(value) && (minimum === undefined || units(value) >= units(minimum));
  const schema = { type: 'string', pattern: form.source, maxLength: digits + 3 } as const;
  const rule = `be a decimal with at most ${whole} digits before the point and ${scale} after it, such as "${minimum ?? (0).toFixed(scale)}"${minimum === undefined ? '' : ', and not less'}`;
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => (isDecimal(value) ? withScale(String(value), scale) : value)),
    bodyField(options, schema, 'a string', rule, isValid),
  );
}

/** In units of the last digit. */
const units = (decimal: unknown) => BigInt(String(decimal).replace('.', ''));

function withScale(decimal: string, scale: number): string {
  const [whole = '', fraction = ''] = decimal.split('.');
  const digits = scale === 0 ? whole : `${whole}.${fraction.padEnd(scale, '0')}`;
  return /[1-9]/.test(digits) ? digits : digits.replace('-', '');
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

export interface NestedOptions extends Omit<FieldOptions, 'example'> {
  /** Makes the field a list of up to so many objects. */
  readonly maxItems?: number;
}

/** An object that has fields of its own, or a list of them. */
export function NestedField(dto: () => Class<object>, options: NestedOptions): PropertyDecorator {
  const { maxItems, nullable } = options;
  // A function that has not the name `type` would be taken for a class.
  const schema = { type: () => dto() };
  const isList = (value: unknown) => Array.isArray(value) && value.length <= Number(maxItems) && value.every(isObject);
  const listSchema = { ...schema, isArray: true, maxItems } as ApiPropertyOptions;
  return applyDecorators(
    Type(dto),
    ValidateNested(),
    ...(nullable === true ? [ValidateIf((_, value) => value !== null)] : []),
    maxItems === undefined
      ? bodyField(options, schema, 'an object', '', isObject)
      : bodyField(options, listSchema, 'a list', `have up to ${maxItems} objects`, isList),
  );
}
