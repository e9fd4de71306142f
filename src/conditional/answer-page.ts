import type { FastifyReply } from 'fastify';
import { nextPageLink } from '../http/index.js';
import { type Answered, answerWithEtag } from './answer-with-etag.js';
import { etagOf } from './entity-tags.js';

/** A page of a list as it goes over the wire: a JSON array. */
export interface Page {
  readonly json: string;
  /** Identifier after which the next page begins; undefined on the last page. */
  readonly nextAfter: number | string | undefined;
  /** Worked out from the others unless it is known already. */
  readonly etag?: string;
}

/** The validator of a page: what was the last one has the same members when it gets a next one, but not the same Link. */
export function pageEtag(json: string, nextAfter: Page['nextAfter']): string {
  return etagOf(`${json}${nextAfter ?? ''}`);
}

/**
 * Answers with a page of a list as `answerWithEtag` does, and names the next one in Link.
 * @param address of the list, as `publicAddress` gives it
 * @param query of this page
 */
export function answerPage(reply: FastifyReply, address: string, query: object, { json, nextAfter, etag = pageEtag(json, nextAfter) }: Page): Answered {
  if (nextAfter !== undefined) reply.header('link', nextPageLink(address, query, nextAfter));
  return answerWithEtag(reply, json, etag);
}
