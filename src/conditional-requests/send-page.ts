import type { FastifyReply } from 'fastify';
import type { Page } from '../database/index.js';
import { addLink, nextPageLink } from '../http/index.js';
import { type ResponseBody, sendWithEtag } from './send-with-etag.js';
import { etagOf } from './entity-tags.js';

/** A page as JSON. */
export interface PageJson extends Pick<Page<unknown>, 'nextAfter'> {
  readonly json: string;
  readonly etag: string;
}

/** The validator of a page. It includes `nextAfter`, because the last page gets a Link when another page follows. */
export function pageEtag(json: string, nextAfter: PageJson['nextAfter']): string {
  return etagOf(`${json}${nextAfter ?? ''}`);
}

/**
 * Responds with a page of a list as a JSON array, with an ETag like `sendWithEtag`, and sets Link to the next page.
 * @param reply from `@Res({ passthrough: true })`
 * @param address of the list, as `publicAddress` returns it
 * @param query of this page: the next one has the same, but for `after`
 */
export function sendPage(
  reply: FastifyReply,
  address: string,
  query: object,
  { items, nextAfter }: Page<unknown>,
): ResponseBody {
  const json = JSON.stringify(items);
  return sendPageJson(reply, address, query, { json, nextAfter, etag: pageEtag(json, nextAfter) });
}

/** The same for a page that is JSON already. */
export function sendPageJson(
  reply: FastifyReply,
  address: string,
  query: object,
  { json, nextAfter, etag }: PageJson,
): ResponseBody {
  if (nextAfter !== undefined) addLink(reply, nextPageLink(address, query, nextAfter));
  return sendWithEtag(reply, json, etag);
}
