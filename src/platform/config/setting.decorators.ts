import { applyDecorators } from '@nestjs/common';
import { Expose, Transform } from 'class-transformer';
import { IsBoolean, IsInt, IsOptional, IsUrl, Matches, Max, Min, ValidateBy } from 'class-validator';

/** A property that is read from the environment variable of its name. Decorators of class-validator say what it must be. */
export const Setting = (): PropertyDecorator => applyDecorators(Expose(), IsOptional());

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

export function FlagSetting(): PropertyDecorator {
  return applyDecorators(
    Setting(),
    Transform(({ value }) => (value === 'true' ? true : value === 'false' ? false : value)),
    IsBoolean({ message: '$property must be true or false' }),
  );
}

export function CheckedSetting(validate: (value: string) => boolean, message: string): PropertyDecorator {
  return applyDecorators(Setting(), ValidateBy({ name: validate.name, validator: { validate } }, { message }));
}

/** Texts separated by commas, each of which a function accepts. URLs are kept as browsers write them. */
export function CheckedListSetting(validate: (value: string) => boolean, message: string): PropertyDecorator {
  return applyDecorators(
    Setting(),
    Transform(({ value }) =>
      typeof value === 'string' ? value.split(',').map((item) => inAscii(item.trim())) : value,
    ),
    ValidateBy({ name: validate.name, validator: { validate } }, { each: true, message }),
  );
}

/** An absolute URL without credentials, in ASCII. */
export function HttpUrlSetting(): PropertyDecorator {
  const options = { protocols: ['http', 'https'], require_protocol: true, require_tld: false, disallow_auth: true };
  const message = '$property must be an absolute http or https URL';
  return applyDecorators(
    Setting(),
    Transform(({ value }) => inAscii(value)),
    IsUrl(options, { message }),
    Matches(/^https?:\/\//, { message }),
  );
}

/** A URL as browsers write it, such as `https://xn--e1afmkfd.example/v1`; other values unchanged. */
function inAscii(value: unknown): unknown {
  if (typeof value !== 'string' || !/^https?:\/\/[^\s\\]+$/.test(value) || !URL.canParse(value)) return value;
  const { href } = new URL(value);
  // A URL without a path gets one.
  return value.endsWith('/') ? href : href.replace(/\/$/, '');
}

export function ApiAddressSetting(): PropertyDecorator {
  return applyDecorators(HttpUrlSetting(), Matches(/^[^?#]+\/v1$/, { message: '$property must end in /v1' }));
}
