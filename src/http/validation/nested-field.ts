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
  // A function that has not the name `type` would be taken for a class.
  const schema = { type: () => dto() };
  return applyDecorators(
    Type(dto),
    ValidateNested(),
    ...(options.nullable === true ? [ValidateIf((_, value) => value !== null)] : []),
    options.maxItems === undefined
      ? bodyField(options, schema, 'an object', '', isObject)
      : listField(options, { ...schema, isArray: true }, options.maxItems),
  );
}

function listField(options: NestedOptions, schema: ApiPropertyOptions, maxItems: number): PropertyDecorator {
  const isList = (value: unknown) => Array.isArray(value) && value.length <= maxItems && value.every(isObject);
  return bodyField(
    options,
    { ...schema, maxItems } as ApiPropertyOptions,
    'a list',
    `have up to ${maxItems} objects`,
    isList,
  );
}
