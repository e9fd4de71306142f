import { HttpException } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ERROR_CODES, type ErrorCode } from '../../platform/errors/error-codes.js';
import { addLink } from '../addresses.js';

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
  /** When it is returned, for the documentation. */
  readonly meaning?: string | undefined;
}

/** Looks up the status and the meaning of a code of the registry. */
export function problem(code: ErrorCode | OwnErrorCode, message: string, headers?: Problem['headers']): Problem {
  const declared = typeof code === 'string' ? { code, ...ERROR_CODES[code] } : code;
  return { status: declared.status, code: declared.code, message, headers, meaning: declared.meaning };
}

/** An HTTP error that a controller, a guard or an interceptor throws; the client receives it as an Error object. */
export class ApiError extends HttpException {
  readonly problem: Problem;

  /**
   * @param code of the registry, or one of an extension with its status
   * @param message what is wrong and what would be valid, for the client's developer
   * @param headers response headers that belong to this error, such as Allow or Retry-After
   * @param isExpected whether it is no failure of the service, and so not logged as one, whatever its status
   */
  constructor(
    code: ErrorCode | OwnErrorCode,
    message: string,
    headers?: Problem['headers'],
    readonly isExpected = false,
  ) {
    const answer = problem(code, message, headers);
    super(errorObject(answer), answer.status);
    this.problem = answer;
  }

  get code(): string {
    return this.problem.code;
  }

  static of({ code, status, message, headers }: Problem, isExpected = false): ApiError {
    return new ApiError({ code, status, meaning: message }, message, headers, isExpected);
  }
}

/** The Error of whatever the service did not expect, with headers that a handler may have set to other values. */
export const INTERNAL_ERROR = problem('internal_error', 'The service failed to process this request.', {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
});

/** The longest message that people read, in UTF-16 code units. Those of extensions can be longer. */
const READABLE_LENGTH = 200;

/** The items that fit into a message with `besides` other characters, at least one. */
export function listed(items: readonly string[], separator: string, besides = 100): string {
  const room = READABLE_LENGTH - besides - `${separator}and more`.length;
  const shown = items.filter((_, index) => index === 0 || items.slice(0, index + 1).join(separator).length <= room);
  return [...shown, ...(shown.length < items.length ? ['and more'] : [])].join(separator);
}

export const MAX_FAULTS = 5;

/**
 * The error of a request that is not as its operation documents it.
 * @param faults all that is wrong with the query or the body, each without its full stop; repeated ones are named once
 */
export function validationFailed(faults: readonly string[]): ApiError {
  return new ApiError('validation_failed', `${listed([...new Set(faults)].slice(0, MAX_FAULTS), '; ', 1)}.`);
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

export function errorObject({ code, message, status }: Problem): object {
  return { code, message: message.slice(0, MAX_MESSAGE_LENGTH), status };
}

export function errorJson(answer: Problem): string {
  return JSON.stringify(errorObject(answer));
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Address of the page that explains the error codes, for Link. */
    errorPage?: string;
  }
}

/** Sends an Error response; every error of a request goes through here, unless its head cannot be written. */
export function sendProblem(reply: FastifyReply, answer: Problem): void {
  writeHead(reply, answer);
  reply.send(errorJson(answer));
}

export function writeHead(reply: FastifyReply, { status, code, headers = {} }: Problem): void {
  reply.headers(headers);
  reply.header('x-request-id', reply.request.id);
  const { errorPage } = reply.server;
  if (errorPage !== undefined) addLink(reply, `<${errorPage}#${code}>; rel="help"`);
  if (status === 401 || status === 429) reply.header('cache-control', 'no-store');
  // Exceptions of Nest do not say when to try again, and every 429 and 503 does.
  if ((status === 429 || status === 503) && !reply.hasHeader('retry-after')) reply.header('retry-after', '1');
  reply.code(status).header('content-type', 'application/json; charset=utf-8');
}
