import { isIP } from 'node:net';
import { applyDecorators } from '@nestjs/common';
import { Expose, Transform } from 'class-transformer';
import { IsBoolean, IsInt, IsOptional, IsUrl, Matches, Max, Min, ValidateBy } from 'class-validator';

/**
 * `redis+sentinel://host:port,host:port/master-name`, with an optional user and password of the server before the hosts, and
 * the number of a database at the end.
 */
export const SENTINEL_URL =
  /^redis\+sentinel:\/\/(?:(?<user>[^:@/\s]*):(?<password>[^@/\s]*)@)?(?<hosts>[\w.-]+:\d{1,5}(?:,[\w.-]+:\d{1,5})*)\/(?<name>[\w.-]+)(?:\/(?<database>\d{1,5}))?$/;

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

/** IP addresses, or blocks in CIDR notation (RFC 4632, RFC 4291 section 2.3), separated by commas. */
export function CidrListSetting(): PropertyDecorator {
  const message = '$property must be a comma-separated list of CIDR blocks, such as 10.0.0.0/8';
  return applyDecorators(
    ListSetting(),
    ValidateBy({ name: 'isCidr', validator: { validate: isCidr } }, { each: true, message }),
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

/** Origins that browsers send, separated by commas, or `*`. */
export function OriginListSetting(): PropertyDecorator {
  const message = '$property must be * or a comma-separated list of origins, such as https://app.example.com';
  return applyDecorators(
    // Runs after the transformation of `ListSetting`.
    Transform(({ value }: { value: unknown }) => (Array.isArray(value) ? value.map(inAscii) : value)),
    ListSetting(),
    Matches(/^(\*|https?:\/\/[^/?#@*\s]+)$/, { each: true, message }),
  );
}

/** A URL as browsers write it, such as `https://xn--e1afmkfd.example/v1`; other values unchanged. */
function inAscii(value: unknown): unknown {
  if (typeof value !== 'string' || !/^https?:\/\/[^\s\\]+$/.test(value) || !URL.canParse(value)) return value;
  const { href } = new URL(value);
  // A URL without a path gets one.
  return value.endsWith('/') ? href : href.replace(/\/$/, '');
}

/** The public address of an API, with its version prefix. */
export function ApiAddressSetting(): PropertyDecorator {
  return applyDecorators(HttpUrlSetting(), Matches(/^[^?#]+\/v1$/, { message: '$property must end in /v1' }));
}

/** `redis://` or `rediss://` (TLS) with a host, and optionally user, password, port and database number; or sentinels. */
export function RedisUrlSetting(): PropertyDecorator {
  const message =
    '$property must be redis://, rediss:// or redis+sentinel://, such as redis://user:password@redis.example.com:6379/0';
  return applyDecorators(
    Setting(),
    ValidateBy({ name: 'isRedisUrl', validator: { validate: isRedisUrl } }, { message }),
  );
}

function isCidr(value: string): boolean {
  const [address = '', prefix, ...rest] = value.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^[0-9]{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

function isRedisUrl(value: string): boolean {
  if (SENTINEL_URL.test(value)) return true;
  if (!/^rediss?:\/\/[^\s?#]+$/.test(value)) return false;
  try {
    const { hostname, username, password, pathname } = new URL(value);
    decodeURIComponent(username + password);
    return hostname !== '' && /^(\/[0-9]{0,5})?$/.test(pathname);
  } catch {
    return false;
  }
}
