import type { Env } from '../config/index.js';
import { API_PREFIX } from './api-prefix.js';

/**
 * Address for clients, as Location and Link give it: absolute where BASE_URL is set, and never made of what a request says.
 * @param path below the prefix of the version, such as `/pets`
 */
export function publicAddress({ BASE_URL }: Env, path: string): string {
  return `${BASE_URL ?? API_PREFIX}${path}`;
}

/**
 * The value of Link on a page that has a next one (RFC 8288).
 * @param address of the list
 * @param query of this page, without characters that an address must not have
 * @param after where the next page begins
 */
export function nextPageLink(address: string, query: object, after: number | string): string {
  let target = `${address}?`;
  for (const [name, value] of Object.entries(query)) if (name !== 'after' && value !== undefined) target += `${name}=${String(value)}&`;
  return `<${target}after=${after}>; rel="next"`;
}
