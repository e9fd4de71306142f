import type { FastifyReply } from 'fastify';
import { ERROR_CODES, type ErrorCode } from './error-codes.js';

/** A code outside the registry, for the errors of modules that extend the service. */
export interface OwnErrorCode {
  readonly code: string;
  readonly status: number;
  /** When it is answered, for the documentation. */
  readonly meaning: string;
}

/** What an Error response is made of. */
export interface Problem {
  readonly status: number;
  readonly code: string;
  /** Says what is wrong and what would be right; never internals. */
  readonly message: string;
  /** Names in lower case, which Fastify would otherwise convert each time. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Looks up the status of a code of the registry. */
export function problem(code: ErrorCode | OwnErrorCode, message: string, headers?: Problem['headers']): Problem {
  return typeof code === 'string'
    ? { status: ERROR_CODES[code].status, code, message, headers }
    : { status: code.status, code: code.code, message, headers };
}

/** The Error object as it goes over the wire. */
export function errorJson({ code, message, status }: Problem): string {
  return JSON.stringify({ code, message, status });
}

/** Answers with an Error: the one way in which any error of a request leaves the service. */
export function sendProblem(reply: FastifyReply, answer: Problem): void {
  if (answer.headers !== undefined) reply.headers(answer.headers);
  if (answer.status === 401 || answer.status === 429) reply.header('cache-control', 'no-store');
  reply.code(answer.status).header('content-type', 'application/json; charset=utf-8').send(errorJson(answer));
}
