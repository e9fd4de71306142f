import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { bodyField, type FieldOptions } from './field.js';

/** A decimal number, as in SQL: `digits` in all, `scale` of them after the point. */
export interface DecimalOptions extends FieldOptions {
  readonly digits: number;
  readonly scale: number;
  /** With all digits of the scale, such as `"0.00"`. */
  readonly minimum?: string;
}

/**
 * A decimal number as a text, such as `"12.50"`, because JSON numbers are rounded. The handler gets it with all digits of its
 * scale.
 */
export function DecimalField(options: DecimalOptions): PropertyDecorator {
  const { digits, scale, minimum } = options;
  const whole = digits - scale;
  const fraction = scale === 0 ? '' : String.raw`(?:\.[0-9]{1,${scale}})?`;
  const integer = whole === 0 ? '0' : `(?:0|[1-9][0-9]{0,${whole - 1}})`;
  const form = new RegExp(`^-?${integer}${fraction}$`);
  const isDecimal = (value: unknown) => typeof value === 'string' && form.test(value);
  const isValid = (value: unknown) => isDecimal(value) && (minimum === undefined || units(value) >= units(minimum));
  const schema = { type: 'string', pattern: form.source, maxLength: digits + 3 } as const;
  const rule = `be a decimal with at most ${whole} digits before the point and ${scale} after it, such as "${minimum ?? (0).toFixed(scale)}"${minimum === undefined ? '' : ', and not less'}`;
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => (isDecimal(value) ? withScale(String(value), scale) : value)),
    bodyField(options, schema, 'a string', rule, isValid),
  );
}

/** A decimal with all digits of its scale, in units of the last one. */
const units = (decimal: unknown) => BigInt(String(decimal).replace('.', ''));

function withScale(decimal: string, scale: number): string {
  const [whole = '', fraction = ''] = decimal.split('.');
  const digits = scale === 0 ? whole : `${whole}.${fraction.padEnd(scale, '0')}`;
  return /[1-9]/.test(digits) ? digits : digits.replace('-', '');
}
