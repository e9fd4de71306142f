import type { FastifyReply } from 'fastify';

type Headers = Readonly<Partial<ReturnType<FastifyReply['getHeaders']>>>;

/** Headers of the request that is repeated, not of its operation. */
const OF_REQUEST = /^(x-)?ratelimit/;

/**
 * A response as text: its status, the headers that the operation set, and its body.
 * @param before headers of the response before its handler ran
 * @throws Error if the body is no text, such as a file
 */
export function storedResponse(reply: FastifyReply, before: Headers, body: unknown): string {
  if (typeof body !== 'string' && body != null)
    throw new Error('An operation with @Idempotent() must return JSON or text, and no file.');
  const headers = Object.entries(reply.getHeaders()).filter(
    ([name, value]) => before[name] !== value && !OF_REQUEST.test(name),
  );
  return JSON.stringify({ status: reply.statusCode, headers: Object.fromEntries(headers), body: body ?? undefined });
}

export function replay(reply: FastifyReply, stored: string): void {
  const { status, headers, body } = JSON.parse(stored) as { status: number; headers: Headers; body?: string };
  void reply.code(status).headers(headers).header('idempotent-replayed', 'true').send(body);
}

/** Restores the headers from before a handler whose work was rolled back. */
export function resetHeaders(reply: FastifyReply, before: Headers): void {
  for (const name of Object.keys(reply.getHeaders())) if (before[name] === undefined) reply.removeHeader(name);
  reply.headers(before);
}
