import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { Page } from '../../database/index.js';
import { addLink, nextPageLink } from '../addresses.js';
import { jsonText } from '../json/exact-json.js';

/** 132 bits of a digest: collisions do not occur in practice. */
const TAG_LENGTH = 22;

/** RFC 9110, section 8.8.3. */
const ENTITY_TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;
/** Separated by commas and white space; elements may be empty (RFC 9110, section 5.6.1.2). */
const TAG_LIST = new RegExp(`^[ \\t,]*(?:${ENTITY_TAG.source}[ \\t]*(?:,[ \\t,]*|$))+$`);

/** The tags that a condition names; `*` stands for any. */
export type TagList = '*' | readonly string[];

/**
 * The strong validator of a representation: the same bytes have the same validator on every instance.
 * @param content the body, and anything else whose change must change the validator
 */
export function etagOf(content: string | Buffer): string {
  return `"${hash('sha256', content, 'base64url').slice(0, TAG_LENGTH)}"`;
}

/** Parses If-Match or If-None-Match; `undefined` if it is malformed. */
export function readTagList(field: string): TagList | undefined {
  if (field.trim() === '*') return '*';
  return TAG_LIST.test(field) ? (field.match(ENTITY_TAG) ?? undefined) : undefined;
}

/** RFC 9110, section 8.8.3.2: a weak tag equals no other. */
export function matchesStrongly(list: TagList, etag: string): boolean {
  return list === '*' || list.includes(etag);
}

/** RFC 9110, section 8.8.3.2: weakness is ignored. */
export function matchesWeakly(list: TagList, etag: string): boolean {
  return list === '*' || list.some((tag) => tag === etag || tag === `W/${etag}`);
}

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
  // `@Operation()` sets it by the type of its success; Fastify takes a string for plain text.
  if (!reply.hasHeader('content-type')) reply.header('content-type', 'application/json; charset=utf-8');
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
 * Responds to a POST that has created something (RFC 9110, section 15.3.2): sets Location and ETag.
 * @param reply as a handler gets it from `@Res({ passthrough: true })`
 * @param address of the list that it is in, as `publicAddress` gives it
 */
export function sendCreated(reply: FastifyReply, address: string, resource: { readonly id: unknown }): ResponseBody {
  const { id } = resource;
  reply.header('location', `${address}/${typeof id === 'string' ? encodeURIComponent(id) : jsonText(id)}`);
  return sendWithEtag(reply, jsonText(resource));
}

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
  const json = jsonText(items);
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
