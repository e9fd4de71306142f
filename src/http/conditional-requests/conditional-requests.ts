import type { IncomingHttpHeaders } from 'node:http';
import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Page } from '../../database/paging/page.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { addLink, nextPageLink } from '../addresses.js';
import { type ApiError, forgetResponse, validationFailed } from '../errors/api-error.js';
import { jsonText } from '../../platform/int64.js';
import { documentParameter } from '../requests/handler-metadata.js';
import { requestOf } from '../requests/request.js';
import { COMMON_HEADERS, type HeaderName, headerReferences } from '../response-headers.js';
import { etagOf, isListed, pageEtag } from './entity-tags.js';

/** @param ifMatch of the request, `"another"` in an example */
export function notCurrent(ifMatch = '"another"'): DomainError {
  const advice = ifMatch.startsWith('"')
    ? 'Get the resource again before you retry.'
    : /^W\//i.test(ifMatch)
      ? 'A weak one (W/) never matches: a proxy that compresses responses may have made it weak. Get it with Accept-Encoding: identity.'
      : 'Send the ETag as the service returned it, in double quotes.';
  return new DomainError('precondition_failed', `If-Match does not name the current ETag. ${advice}`);
}

/** Maximum length of a list, in characters: the two of a request and its other headers fit into what Node accepts. */
const MAX_ETAGS_LENGTH = 4_096;

function faultOf(...lists: readonly (string | undefined)[]): ApiError | undefined {
  if (lists.every((list = '') => list.length <= MAX_ETAGS_LENGTH)) return undefined;
  return validationFailed([`If-Match and If-None-Match must not exceed ${MAX_ETAGS_LENGTH} characters`]);
}

/** The precondition of a request (RFC 9110, sections 13.1.1 and 13.1.2). */
export class Precondition {
  constructor(private readonly headers: IncomingHttpHeaders) {}

  /**
   * Call it when the resource, which a GET would return as `json`, is locked in the transaction of the change.
   * @throws DomainError `precondition_failed`
   */
  check(json: string): void {
    const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = this.headers;
    if (ifMatch === undefined && ifNoneMatch === undefined) return;
    const fault = faultOf(ifMatch, ifNoneMatch);
    if (fault !== undefined) throw fault;
    const etag = etagOf(json);
    if (ifMatch !== undefined && !isListed(etag, ifMatch)) throw notCurrent(ifMatch);
    if (ifNoneMatch !== undefined && isListed(etag, ifNoneMatch, 'weak'))
      throw new DomainError('precondition_failed', 'If-None-Match names the current ETag.');
  }
}

const schema = {
  type: 'string',
  maxLength: MAX_ETAGS_LENGTH,
  pattern: '^[\\t -~\\u0080-\\u00ff]*$',
  example: '"nBd0J5nWlMGkLhEPUvh3Yw"',
} as const;

const IF_MATCH = documentParameter(
  ApiHeader({
    name: 'If-Match',
    required: false,
    description: 'ETags, or `*`. If none of them is current, the request changes nothing and returns 412.',
    schema,
  }),
  [notCurrent()],
);

/** Documents the conditions of an operation with `sendWithEtag`, below `@Operation()`. @param headers that a 304 has too */
export function Revalidates(...headers: HeaderName[]): MethodDecorator {
  return applyDecorators(
    (target: object, name: string | symbol) => IF_MATCH(target, name, 0),
    ApiHeader({
      name: 'If-None-Match',
      required: false,
      description:
        'ETags of cached responses, or `*`. If one of them is current, the request returns 304 without a body.',
      schema,
    }),
    ApiResponse({
      status: 304,
      description: 'If-None-Match names the current ETag.',
      headers: headerReferences([...COMMON_HEADERS, 'ETag', ...headers]),
    }),
  );
}

/** Injects the precondition of the request, and documents If-Match. */
export function IfMatch(): ParameterDecorator {
  return createParamDecorator(
    (_: unknown, context: ExecutionContext) => new Precondition(requestOf(context).headers),
    [IF_MATCH],
  )();
}

/** The return value of a handler: JSON, or nothing for a 304. */
export type ResponseBody = string | undefined;

/**
 * Sets the ETag of a response with status 200 or 201, and evaluates the preconditions of a GET or HEAD (RFC 9110, section
 * 13.2.2): a 304 if If-None-Match names that ETag. @param reply from `@Res({ passthrough: true })`
 * @throws DomainError `precondition_failed` if the If-Match of a GET or HEAD does not name it
 */
export function sendWithEtag<Body extends string | Buffer>(
  reply: FastifyReply,
  body: Body,
  etag = etagOf(body),
): Body | undefined {
  const { method, headers } = reply.request;
  const isRead = method === 'GET' || method === 'HEAD';
  const { 'if-match': ifMatch, 'if-none-match': condition } = isRead ? headers : {};
  const isOther = ifMatch !== undefined && !isListed(etag, ifMatch);
  const fault = faultOf(ifMatch, condition) ?? (isOther ? notCurrent(ifMatch) : undefined);
  if (fault !== undefined) {
    forgetResponse(reply);
    throw fault;
  }
  reply.header('etag', etag);
  // `@Operation()` sets it by the type of its success; Fastify takes a string for plain text.
  if (!reply.hasHeader('content-type')) reply.header('content-type', 'application/json; charset=utf-8');
  if (condition === undefined || !isListed(etag, condition, 'weak')) return body;
  reply.code(304);
  // Fastify sends no body for HEAD but derives headers from it, so the body is needed.
  if (method === 'HEAD') return body;
  reply.removeHeader('content-type');
  return undefined;
}

/** Responds to a POST (RFC 9110, section 15.3.2): sets Location and ETag. @param address of the list, by `publicAddress` */
export function sendCreated(reply: FastifyReply, address: string, resource: { readonly id: unknown }): ResponseBody {
  const { id } = resource;
  reply.header('location', `${address}/${typeof id === 'string' ? encodeURIComponent(id) : jsonText(id)}`);
  return sendWithEtag(reply, jsonText(resource));
}

export interface PageJson extends Pick<Page<unknown>, 'nextAfter'> {
  readonly json: string;
  readonly etag: string;
}

/**
 * Responds with a page as a JSON array, with an ETag like `sendWithEtag`, and sets Link to the next page.
 * @param query of this page: the next one has the same, except for `after`
 */
export function sendPage(reply: FastifyReply, address: string, query: object, page: Page<unknown>): ResponseBody {
  const { items, nextAfter } = page;
  const json = jsonText(items);
  return sendPageJson(reply, address, query, { json, nextAfter, etag: pageEtag(json, nextAfter) });
}

export function sendPageJson(reply: FastifyReply, address: string, query: object, page: PageJson): ResponseBody {
  const { json, nextAfter, etag } = page;
  if (nextAfter !== undefined) addLink(reply, nextPageLink(address, query, nextAfter));
  return sendWithEtag(reply, json, etag);
}
