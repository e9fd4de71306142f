import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { bodyField, type FieldOptions } from './field.js';
import { type ParamOptions, param } from './params.js';

/** The date-time of RFC 3339, section 5.6. */
const DATE_TIME =
  /^(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const MAX_LENGTH = '2026-11-24T00:00:00.000000000+00:00'.length;
const EXAMPLE = '2026-11-24T00:00:00Z';

/** @returns undefined for a text that is none, has a day that its month has not, or has no year of four digits in UTC */
function parseDateTime(text: string): Date | undefined {
  const upper = text.toUpperCase();
  const [, day] = DATE_TIME.exec(upper) ?? [];
  // Date takes 31 November as 1 December.
  if (day === undefined || new Date(day).toISOString().slice(0, day.length) !== day) return undefined;
  const time = new Date(upper);
  return /^\d{4}-/.test(time.toISOString()) ? time : undefined;
}

/** The schema of a time that `Date.prototype.toISOString` writes. */
export const TIME_SCHEMA = { type: String, format: 'date-time', maxLength: '2026-11-24T00:00:00.000Z'.length };

const SCHEMA = { type: 'string', format: 'date-time', maxLength: MAX_LENGTH } as const;
const ReadDateTime = () =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? (parseDateTime(value) ?? value) : value));
const isDate = (value: unknown) => value instanceof Date;

/** A time in a body, which the handler gets as a `Date`: a date-time of RFC 3339 with `Z` or an offset. */
export function DateTimeField(options: FieldOptions): PropertyDecorator {
  const rule = `be an RFC 3339 date-time such as ${EXAMPLE}`;
  return applyDecorators(ReadDateTime(), bodyField(options, SCHEMA, 'a string', rule, isDate));
}

/** The same in a query, where `+` is written as `%2B`. */
export function DateTimeParam(options: ParamOptions): PropertyDecorator {
  const expected = `an RFC 3339 date-time such as ${EXAMPLE}, with + written as %2B`;
  return applyDecorators(ReadDateTime(), param(options, { ...SCHEMA, example: EXAMPLE }, expected, isDate));
}
