import type { FastifyReply, FastifyRequest } from 'fastify';

/** One attempt at a request that its client may send again. */
export interface Attempt {
  /** The Idempotency-Key: 1 to 255 characters of printable ASCII; undefined where none was sent. */
  readonly key: string | undefined;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** A successful answer. Its status is the one that the operation declares. */
export interface Answer {
  /** Besides those that every answer has, such as Location and ETag. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Written as JSON; a string is a JSON text already. */
  readonly body: object | string;
}
