import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { applyDecorators } from '@nestjs/common';
import { Expose, Transform } from 'class-transformer';
import { IsBoolean, IsIn, IsInt, IsOptional, IsUrl, Matches, Max, Min, ValidateBy } from 'class-validator';

/** A property that is read from the environment variable of its name. Decorators of class-validator say what it must be. */
export const Setting = (): PropertyDecorator => applyDecorators(Expose(), IsOptional());

/** A decimal integer, parsed strictly: `1e3` and ` 5` are reported instead of coerced. */
export function IntegerSetting(least: number, most: number): PropertyDecorator {
  const message = `$property must be an integer from ${least} to ${most}`;
  const read = Transform(({ value }) => (/^(0|[1-9][0-9]{0,15})$/.test(String(value)) ? Number(value) : value));
  return applyDecorators(Setting(), read, IsInt({ message }), Min(least, { message }), Max(most, { message }));
}

export function FlagSetting(): PropertyDecorator {
  const read = Transform(({ value }) => (value === 'true' ? true : value === 'false' ? false : value));
  return applyDecorators(Setting(), read, IsBoolean({ message: '$property must be true or false' }));
}

export function ChoiceSetting(values: readonly string[]): PropertyDecorator {
  return applyDecorators(Setting(), IsIn(values, { message: `$property must be one of ${values.join(', ')}` }));
}

export function CheckedSetting(validate: (value: string) => boolean, message: string): PropertyDecorator {
  return applyDecorators(Setting(), ValidateBy({ name: validate.name, validator: { validate } }, { message }));
}

const itemsOf = (text: string) => text.split(',').map((item) => inAscii(item.trim()));

/** Texts separated by commas, each of which a function accepts. URLs are kept as browsers write them. */
export function CheckedListSetting(validate: (value: string) => boolean, message: string): PropertyDecorator {
  const read = Transform(({ value }) => (typeof value === 'string' ? itemsOf(value) : value));
  const check = ValidateBy({ name: validate.name, validator: { validate } }, { each: true, message });
  return applyDecorators(Setting(), read, check);
}

/** An absolute URL without credentials, in ASCII. */
export function HttpUrlSetting(): PropertyDecorator {
  const options = { protocols: ['http', 'https'], require_protocol: true, require_tld: false, disallow_auth: true };
  const message = '$property must be an absolute http or https URL';
  const read = Transform(({ value }) => inAscii(value));
  return applyDecorators(Setting(), read, IsUrl(options, { message }), Matches(/^https?:\/\//, { message }));
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

const SERVERS = String.raw`(?:(?<user>[^:@/\s]*):(?<password>[^@/\s]*)@)?(?<hosts>[\w.-]+:\d{1,5}(?:,[\w.-]+:\d{1,5})*)`;
/** `redis+sentinel://[user:password@]host:port,host:port/master-name[/database]` */
export const SENTINEL_URL = new RegExp(
  String.raw`^redis\+sentinel://${SERVERS}/(?<name>[\w.-]+)(?:/(?<database>\d{1,5}))?$`,
);
/** `redis+cluster://[user:password@]host:port,host:port`, or `rediss+cluster://` for TLS */
export const CLUSTER_URL = new RegExp(String.raw`^rediss?\+cluster://${SERVERS}$`);

export function isCidr(value: string): boolean {
  const [address = '', prefix, ...rest] = value.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0 || address.includes('%')) return false;
  // No network of proxies is larger, but several larger blocks include every address.
  const [least, most] = version === 4 ? [8, 32] : /^(::|::ffff:.*)$/i.test(address) ? [104, 128] : [7, 128];
  return prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) >= least && Number(prefix) <= most);
}

/** What webhooks can reach besides the public internet. */
export function isWebhookAllowance(value: string): boolean {
  if (value === 'http') return true;
  return value.includes('/') ? isCidr(value) : /^[1-9]\d{0,4}$/.test(value) && Number(value) <= 65_535;
}

/** Paths that are meant to be something else: they would make an empty database under a strange name. */
const NO_PATH = /^$|^[:~\s]|^\/\/|^file:|^memory:?$|:memory|[?#$]|\s$/i;
/** After percent-encoded characters were replaced. The host can be missing: a parameter can name a socket. */
const POSTGRES_URL =
  /^postgres(ql)?:\/\/([^\s/?#@:]*(:[^\s/?#@]*)?@)?(([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?)?\/[^\s/?#@]+(\?[^\s#]*)?$/i;
/** The driver ignores parameters that it does not know, such as `ssl_mode`, and would connect without TLS. */
const POSTGRES_PARAMETER =
  /^(host|port|user|password|options|application_name|sslcert|sslkey|sslrootcert|uselibpqcompat|connect_timeout|channel_binding|sslmode=(disable|allow|prefer|require|verify-ca|verify-full|no-verify))(=|$)/;

export function isDatabaseUrl(value: string): boolean {
  if (value.startsWith('sqlite:')) {
    const path = value.slice('sqlite:'.length);
    return path === ':memory:' || !NO_PATH.test(path);
  }
  const [, query = ''] = value.split('?');
  if (!query.split('&').every((parameter) => query === '' || POSTGRES_PARAMETER.test(parameter))) return false;
  const withoutCodes = value.replaceAll(/%[\da-f]{2}/gi, 'x');
  return isDecodable(value) && POSTGRES_URL.test(withoutCodes) && URL.canParse(value.replace('@/', '@localhost/'));
}

/** Whether it is no folder, as an SQLite database is a file in one. */
export function isNoFolder(value: string): boolean {
  if (!value.startsWith('sqlite:') || !isDatabaseUrl(value)) return true;
  const path = value.slice('sqlite:'.length);
  return !path.endsWith('/') && !existsSync(`${path}/.`);
}

function isDecodable(value: string): boolean {
  try {
    decodeURIComponent(value);
    return true;
  } catch {
    return false;
  }
}

export function isRedisUrl(value: string): boolean {
  if (SENTINEL_URL.test(value) || CLUSTER_URL.test(value)) return isDecodable(value);
  const url = URL.parse(value);
  if (!/^rediss?:\/\/[^\s?#]+$/.test(value) || url === null || !isDecodable(value)) return false;
  return /^(\[.+\]|[\w.-]+)$/.test(url.hostname) && /^(\/[0-9]{0,5})?$/.test(url.pathname);
}

export function isOrigin(value: string): boolean {
  return value === '*' || (/^https?:[^*]+$/.test(value) && URL.parse(value)?.origin === value);
}

/** A contact of RFC 9116, section 2.5.3. */
export function isSecurityContact(value: string): boolean {
  return /^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/[!-~]+)$/.test(value) && URL.canParse(value);
}

export function isHost(value: string): boolean {
  return isIP(value) !== 0 || /^(?![\d.]+$)[\w.-]+$/.test(value);
}
