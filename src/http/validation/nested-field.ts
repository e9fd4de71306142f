import { applyDecorators, type Type as Class } from '@nestjs/common';
import { Type } from 'class-transformer';
import { ValidateIf, ValidateNested } from 'class-validator';
import { bodyField, type FieldOptions } from './field.js';

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object that has fields of its own. */
export function NestedField(dto: () => Class<object>, options: Omit<FieldOptions, 'example'>): PropertyDecorator {
  return applyDecorators(
    Type(dto),
    ValidateNested(),
    ...(options.nullable === true ? [ValidateIf((_, value) => value !== null)] : []),
    // A function that has not the name `type` would be taken for a class.
    bodyField(options, { type: () => dto() }, 'an object', '', isObject),
  );
}
