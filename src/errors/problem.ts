import type { FastifyReply } from 'fastify';
import { ERROR_CODES, type ErrorCode } from './error-codes.js';

/** A code outside the registry, for errors of extensions. */
export interface OwnErrorCode {
  readonly code: string;
  readonly status: number;
  /** When it is returned, for the documentation. */
  readonly meaning: string;
}

/** The parts of an Error response. */
export interface Problem {
  readonly status: number;
  readonly code: string;
  /** What is wrong and what would be valid; never internals. */
  readonly message: string;
  /** Names in lower case, so that Fastify need not convert them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Looks up the status of a code of the registry. */
export function problem(code: ErrorCode | OwnErrorCode, message: string, headers?: Problem['headers']): Problem {
  return typeof code === 'string'
    ? { status: ERROR_CODES[code].status, code, message, headers }
    : { status: code.status, code: code.code, message, headers };
}

/**
 * The client closed the connection before its response. No client receives this; logs and metrics have the status, as those
 * of nginx do.
 */
export const CLIENT_GONE: Problem = {
  status: 499,
  code: 'client_closed_request',
  message: 'The client closed the connection.',
};

/** Maximum length of a message, in UTF-16 code units; longer ones, such as those of foreign exceptions, are cut. */
export const MAX_MESSAGE_LENGTH = 2_000;

/** The Error object. */
export function errorObject({ code, message, status }: Problem): object {
  return { code, message: message.slice(0, MAX_MESSAGE_LENGTH), status };
}

/** The Error object as it is sent. */
export function errorJson(answer: Problem): string {
  return JSON.stringify(errorObject(answer));
}

/** Sends an Error response; every error of a request goes through here. */
export function sendProblem(reply: FastifyReply, answer: Problem): void {
  if (answer.headers !== undefined) reply.headers(answer.headers);
  if (answer.status === 401 || answer.status === 429) reply.header('cache-control', 'no-store');
  // Exceptions of Nest do not say when to try again, and every 429 and 503 does.
  if ((answer.status === 429 || answer.status === 503) && !reply.hasHeader('retry-after'))
    reply.header('retry-after', '1');
  reply.code(answer.status).header('content-type', 'application/json; charset=utf-8').send(errorJson(answer));
}
