import type { FastifyReply } from 'fastify';
import { etagOf, matchesWeakly, readTagList } from './entity-tags.js';

/** What a handler is to return: JSON as it goes over the wire; nothing where the client has it already. */
export type Answered = string | undefined;

/**
 * Names the validator of an answer with status 200 or 201, and spares a GET or HEAD the body that its If-None-Match
 * says the client has (304; RFC 9110, section 13.1.2). A condition that is malformed is ignored: the answer is whole then.
 * @param reply as a handler gets it from `@Res({ passthrough: true })`
 * @param etag worked out from the body unless it is known already
 */
export function answerWithEtag(reply: FastifyReply, json: string, etag = etagOf(json)): Answered {
  reply.header('etag', etag);
  const { method, headers } = reply.request;
  const condition = headers['if-none-match'];
  if (condition === undefined || (method !== 'GET' && method !== 'HEAD')) return json;
  const list = readTagList(condition);
  if (list === undefined || !matchesWeakly(list, etag)) return json;
  reply.code(304);
  // Fastify sends no body to a HEAD, but headers of the body, and would make up wrong ones if there were none.
  if (method === 'HEAD') return json;
  reply.removeHeader('content-type');
  return undefined;
}
