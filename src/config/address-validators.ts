import { isIP } from 'node:net';
import { ValidateBy, type ValidationOptions } from 'class-validator';

function isCidr(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const [address = '', prefix, ...rest] = value.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^[0-9]{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

/** An IP address, or a block in CIDR notation (RFC 4632, RFC 4291 section 2.3). */
export const IsCidr = (options: ValidationOptions) =>
  ValidateBy({ name: 'isCidr', validator: { validate: isCidr } }, options);

function isRedisUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !/^rediss?:\/\/[^\s?#]+$/.test(value)) return false;
  try {
    const { hostname, username, password, pathname } = new URL(value);
    decodeURIComponent(username + password);
    return hostname !== '' && /^(\/[0-9]{0,5})?$/.test(pathname);
  } catch {
    return false;
  }
}

/** `redis://` or `rediss://` (TLS) with a host, and optionally user, password, port and database number. */
export const IsRedisUrl = (options: ValidationOptions) =>
  ValidateBy({ name: 'isRedisUrl', validator: { validate: isRedisUrl } }, options);
