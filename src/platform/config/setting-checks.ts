import { existsSync } from 'node:fs';
import { isIP } from 'node:net';

/**
 * `redis+sentinel://host:port,host:port/master-name`, with an optional user and password of the server before the hosts, and
 * the number of a database at the end.
 */
export const SENTINEL_URL =
  /^redis\+sentinel:\/\/(?:(?<user>[^:@/\s]*):(?<password>[^@/\s]*)@)?(?<hosts>[\w.-]+:\d{1,5}(?:,[\w.-]+:\d{1,5})*)\/(?<name>[\w.-]+)(?:\/(?<database>\d{1,5}))?$/;

export function isCidr(value: string): boolean {
  const [address = '', prefix, ...rest] = value.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0 || address.includes('%')) return false;
  return prefix === undefined || (/^[1-9][0-9]{0,2}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

/** Paths that are meant to be something else: they would make an empty database under a strange name. */
const NO_PATH = /^$|^[:~\s]|^\/\/|^file:|^memory:?$|:memory|[?#$]|[/\s]$/i;

/** After percent-encoded characters were replaced. The host can be missing: a parameter can name a socket. */
const POSTGRES_URL =
  /^postgres(ql)?:\/\/([^\s/?#@:]*(:[^\s/?#@]*)?@)?(([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?)?\/[^\s/?#@]+(\?[^\s#]*)?$/i;

export function isDatabaseUrl(value: string): boolean {
  if (value.startsWith('sqlite:')) {
    const path = value.slice('sqlite:'.length);
    const isFolder = existsSync(`${path}/.`);
    return path === ':memory:' || !(NO_PATH.test(path) || isFolder);
  }
  const withoutCodes = value.replaceAll(/%[\da-f]{2}/gi, 'x');
  return isDecodable(value) && POSTGRES_URL.test(withoutCodes) && URL.canParse(value.replace('@/', '@localhost/'));
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
  if (SENTINEL_URL.test(value)) return true;
  const url = URL.parse(value);
  if (!/^rediss?:\/\/[^\s?#]+$/.test(value) || url === null || !isDecodable(value)) return false;
  return /^(\[.+\]|[\w.-]+)$/.test(url.hostname) && /^(\/[0-9]{0,5})?$/.test(url.pathname);
}

export function isOrigin(value: string): boolean {
  return value === '*' || (/^https?:[^*]+$/.test(value) && URL.parse(value)?.origin === value);
}

export function isHost(value: string): boolean {
  return isIP(value) !== 0 || /^(?![\d.]+$)[\w.-]+$/.test(value);
}
