import { isVersioned, normaliseTarget } from '../requests/request.js';

/** A method and a target in origin or absolute form, as far as they were received (RFC 9112, section 3). */
const REQUEST_LINE = /^([!#$%&'*+.^_`|~\w-]+) (\/[^ \r\n]*|https?:\/\/[^ \r\n]+)(?: (HTTP\/1\.[01])\r?$)?/gim;

/** The start of a request that Node's parser refused. */
export interface RequestLine {
  readonly method: string;
  /** Whether it ends with HTTP/1.1 or HTTP/1.0. */
  readonly isComplete: boolean;
  readonly isVersioned: boolean;
}

/**
 * Finds the request line in bytes that Node's parser refused.
 * @param packet the last bytes received, which may begin with valid requests
 * @param parsedBytes how many of them were parsed before the failure
 */
export function findRequestLine(packet: Buffer, parsedBytes: number): RequestLine | undefined {
  const lineEnd = packet.indexOf('\n', parsedBytes);
  const text = packet.toString('latin1', 0, lineEnd === -1 ? packet.length : lineEnd);
  const last = [...text.matchAll(REQUEST_LINE)].at(-1);
  if (last === undefined) return undefined;
  const [, method = '', target = '', version] = last;
  return { method, isComplete: version !== undefined, isVersioned: isVersioned(normaliseTarget({ url: target })) };
}
