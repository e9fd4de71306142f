import { etagOf } from '../conditional/index.js';
import type { Answer } from './attempt.js';

/**
 * The answer of a POST that has made something (RFC 9110, section 15.3.2): where it is, and its validator.
 * @param address of the list that it is in, as `publicAddress` gives it
 */
export function created(address: string, resource: { readonly id: unknown }): Answer {
  const body = JSON.stringify(resource);
  return { headers: { location: `${address}/${JSON.stringify(resource.id)}`, etag: etagOf(body) }, body };
}
