import { applyDecorators, type Type as Class } from '@nestjs/common';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ValidateIf, ValidateNested } from 'class-validator';
import { bodyField, type FieldOptions } from './field.js';

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
