import type { FastifyReply } from 'fastify';
import { addLink, nextPageLink } from '../http/index.js';
import { type ResponseBody, sendWithEtag } from './send-with-etag.js';
import { etagOf } from './entity-tags.js';

/** A page of a list: a JSON array. */
export interface Page {
  readonly json: string;
  /** Identifier after which the next page begins; undefined on the last page. */
  readonly nextAfter: number | string | undefined;
  /** Computed from the others if it is omitted. */
  readonly etag?: string;
}

/** The validator of a page. It includes `nextAfter`, because the last page gets a Link when another page follows. */
export function pageEtag(json: string, nextAfter: Page['nextAfter']): string {
  return etagOf(`${json}${nextAfter ?? ''}`);
}

/**
 * Responds with a page of a list like `sendWithEtag`, and sets Link to the next page.
 * @param address of the list, as `publicAddress` gives it
 * @param query of this page
 */
export function sendPage(
  reply: FastifyReply,
  address: string,
  query: object,
  { json, nextAfter, etag = pageEtag(json, nextAfter) }: Page,
): ResponseBody {
  if (nextAfter !== undefined) addLink(reply, nextPageLink(address, query, nextAfter));
  return sendWithEtag(reply, json, etag);
}
