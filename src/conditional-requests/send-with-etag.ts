import type { FastifyReply } from 'fastify';
import { etagOf, matchesWeakly, readTagList } from './entity-tags.js';

/** The return value of a handler: JSON, or nothing for a 304. */
export type ResponseBody = string | undefined;

/**
 * Sets the ETag of a response with status 200 or 201, and responds to a GET or HEAD with 304 if its If-None-Match names that
 * ETag (RFC 9110, section 13.1.2). A malformed condition is ignored.
 * @param reply from `@Res({ passthrough: true })`
 * @param etag computed from the body if it is omitted
 */
export function sendWithEtag<Body extends string | Buffer>(
  reply: FastifyReply,
  body: Body,
  etag = etagOf(body),
): Body | undefined {
  reply.header('etag', etag);
  const { method, headers } = reply.request;
  const condition = headers['if-none-match'];
  if (condition === undefined || (method !== 'GET' && method !== 'HEAD')) return body;
  const list = readTagList(condition);
  if (list === undefined || !matchesWeakly(list, etag)) return body;
  reply.code(304);
  // Fastify sends no body for HEAD but derives headers from it, so the body is needed.
  if (method === 'HEAD') return body;
  reply.removeHeader('content-type');
  return undefined;
}

/**
 * Responds to a POST that has created something (RFC 9110, section 15.3.2): says where it is, and its validator.
 * @param reply as a handler gets it from `@Res({ passthrough: true })`
 * @param address of the list that it is in, as `publicAddress` gives it
 */
export function sendCreated(reply: FastifyReply, address: string, resource: { readonly id: unknown }): ResponseBody {
  reply.header('location', `${address}/${JSON.stringify(resource.id)}`);
  return sendWithEtag(reply, JSON.stringify(resource));
}
