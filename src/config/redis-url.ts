import { ValidateBy, type ValidationOptions } from 'class-validator';

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

/** `redis://` or `rediss://` (TLS) with a host, and user, password, port and database number where they are needed. */
export const IsRedisUrl = (options: ValidationOptions) =>
  ValidateBy({ name: 'isRedisUrl', validator: { validate: isRedisUrl } }, options);
