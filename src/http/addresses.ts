import type { AddressInfo, Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { FastifyReply } from 'fastify';
import type { Env } from '../platform/config/env.js';
import { API_PREFIX } from './requests/request.js';

/** Address for clients of a path below the version prefix, such as `/pets`: absolute if BASE_URL is set. */
export function publicAddress({ BASE_URL }: Env, path: string): string {
  return quoted(`${BASE_URL ?? API_PREFIX}${path}`);
}

/** Address for clients of a path outside the versioned API, such as `/docs`; an absolute URL is kept. */
export function publicPath({ BASE_URL = API_PREFIX }: Env, path: string): string {
  return quoted(path.startsWith('/') ? BASE_URL.slice(0, -API_PREFIX.length) + path : path);
}

/** Without what a header cannot have, and separators, at which simple parsers of Link split also within `<>`. */
const SAFE = /^[\w.~!#$&'()*+/:=?@[\]%-]*$/;

function quoted(address: string): string {
  if (SAFE.test(address)) return address;
  return address.toWellFormed().replaceAll(/[^\w.~!#$&'()*+/:=?@[\]%-]/gu, encodeURIComponent);
}

/** Appends to a list header (RFC 9110, section 5.6.1), such as Link or Vary, unless it is there. */
export function addToListHeader(reply: FastifyReply, name: string, element: string): void {
  const present = reply.getHeader(name);
  if (present === undefined) reply.header(name, element);
  else if (!String(present).split(', ').includes(element)) reply.header(name, `${String(present)}, ${element}`);
}

/** RFC 8288, section 3. */
export function addLink(reply: FastifyReply, link: string): void {
  addToListHeader(reply, 'link', link);
}

/** The value of Link for the next page (RFC 8288). @param query of this page, whose `after` is left out */
export function nextPageLink(address: string, query: object, after: number | string): string {
  let target = `${address}?`;
  for (const [name, value] of Object.entries(query))
    if (name !== 'after' && value !== undefined)
      target += Array.isArray(value) ? listed(query, name, value) : parameter(name, value);
  return `<${target}after=${encoded(after)}>; rel="next"`;
}

const PROPERTY = 'swagger/apiModelProperties';

/** A list repeats the name, unless it is documented with `explode: false`: as one parameter with commas. */
function listed(query: object, name: string, values: readonly unknown[]): string {
  const { explode = true } = (Reflect.getMetadata(PROPERTY, query, name) ?? {}) as { readonly explode?: boolean };
  return (explode ? values : [values]).map((value) => parameter(name, value)).join('');
}

const parameter = (name: string, value: unknown) => `${encoded(name)}=${encoded(value)}&`;

/** Characters that stand for themselves in a query. */
const PLAIN = /^[\w.~-]*$/;

/** URLSearchParams takes 3 % of a cached list. */
function encoded(value: unknown): string {
  const text = value instanceof Date ? value.toISOString() : String(value);
  return PLAIN.test(text) ? text : encodeURIComponent(text);
}

/** The address for all addresses of this machine: `::` includes IPv4 but requires IPv6. */
export function anyAddress(): string {
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return interfaces.some(({ family }) => family === 'IPv6') ? '::' : '0.0.0.0';
}

const LOCAL = new Set(['::', '0.0.0.0', '127.0.0.1']);

/** Origin at which this machine reaches a listening server; `localhost` if it listens on all addresses. */
export function localOrigin(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  if (LOCAL.has(address)) return `http://localhost:${port}`;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
