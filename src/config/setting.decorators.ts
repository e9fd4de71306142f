import { applyDecorators } from '@nestjs/common';
import { Expose, Transform } from 'class-transformer';
import { IsBoolean, IsInt, Max, Min } from 'class-validator';

/** A property that is read from the environment variable of its name. Decorators of class-validator say what it must be. */
export const Setting = (): PropertyDecorator => Expose();

/** A decimal integer, parsed strictly: `1e3` and ` 5` are reported instead of coerced. */
export function IntegerSetting(least: number, most: number): PropertyDecorator {
  const message = `$property must be an integer from ${least} to ${most}`;
  return applyDecorators(
    Setting(),
    Transform(({ value }) => (/^(0|[1-9][0-9]{0,15})$/.test(String(value)) ? Number(value) : value)),
    IsInt({ message }),
    Min(least, { message }),
    Max(most, { message }),
  );
}

/** `true` or `false`. */
export function FlagSetting(): PropertyDecorator {
  return applyDecorators(
    Setting(),
    Transform(({ value }) => (value === 'true' ? true : value === 'false' ? false : value)),
    IsBoolean({ message: '$property must be true or false' }),
  );
}

/** Texts separated by commas; validators check each with `each: true`. */
export function ListSetting(): PropertyDecorator {
  return applyDecorators(
    Setting(),
    Transform(({ value }) => (typeof value === 'string' ? value.split(',').map((item) => item.trim()) : value)),
  );
}
