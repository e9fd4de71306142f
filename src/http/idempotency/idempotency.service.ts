import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type EntityManager, In, MoreThan } from 'typeorm';
import { Clock } from '../../platform/config/clock.js';
import { Database } from '../../database/database.js';
import { tryLockUntilCommit } from '../../database/locks.js';
import { ApiError } from '../errors/api-error.js';
import type { IdempotentRequest } from './idempotency.hooks.js';
import { IdempotencyRecord } from './idempotency-record.entity.js';

const RETENTION_MS = 24 * 60 * 60 * 1000;
/** Other requests may wait for a transaction that is longer. */
const SLOW_MS = 1_000;

/** Rolls back the transaction of a request whose response is an error. The response remains. */
class ErrorResponse extends Error {}

/** Processes requests with an Idempotency-Key once, and repeats their responses for 24 hours, per account. */
@Injectable()
export class IdempotencyService {
  private readonly logger = new Logger('Idempotency');

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs a handler in a transaction, which `Database.write` and the repositories of TypeORM join, or sends the stored
   * response. The transaction ends when the response is complete, and before it is sent. An error is not stored.
   * @throws (rejects) before the handler has run: ApiError, DomainError `service_unavailable`
   */
  async process(request: FastifyRequest, reply: FastifyReply, identity: IdempotentRequest, handle: () => void) {
    const before = reply.getHeaders();
    const sent = Promise.withResolvers<unknown>();
    const ended = Promise.withResolvers<void>();
    let hasStarted = false;
    let isComplete = false;
    try {
      const stored = await this.database.write(async (manager) => {
        const nowMs = this.clock.nowMs();
        const found = await this.findOrLock(manager, identity, nowMs);
        if (found !== undefined) return found;
        request.commitWith = (body) => {
          isComplete = true;
          sent.resolve(body);
          return ended.promise;
        };
        hasStarted = true;
        const startMs = performance.now();
        handle();
        const body = await sent.promise;
        this.warnIfSlow(request.routeOptions, Math.round(performance.now() - startMs));
        if (reply.statusCode >= 400) throw new ErrorResponse();
        const response = storedResponse(reply, before, body);
        const record = { ...identity, response, expiresAt: nowMs + RETENTION_MS };
        await manager.upsert(IdempotencyRecord, record, ['accountId', 'idempotencyKey']);
        return undefined;
      });
      if (stored !== undefined) replay(reply, stored);
      ended.resolve();
    } catch (error) {
      if (!hasStarted) throw error;
      if (error instanceof ErrorResponse) return ended.resolve();
      // What ended the transaction may have failed the handler too, whose response then comes in this turn.
      await nextTurn();
      resetHeaders(reply, before);
      if (isComplete) return ended.reject(error);
      // The handler may never respond. This response is the only one: a later one waits for ever.
      request.commitWith = async () => {
        request.commitWith = () => new Promise(() => undefined);
      };
      reply.send(error);
    }
  }

  /** Finds the stored response, or locks the key until the transaction ends, without waiting. */
  private async findOrLock(manager: EntityManager, identity: IdempotentRequest, nowMs: number) {
    const { accountId, key, fingerprint } = identity;
    let record = await find(manager, identity, nowMs);
    if (record === null) {
      if (!(await tryLockUntilCommit(manager, `idempotency ${accountId} ${key}`))) throw inUse();
      // Another request may have written it since the first look.
      record = await find(manager, identity, nowMs);
    }
    if (record !== null && record.fingerprint !== fingerprint) throw reused();
    return record?.response;
  }

  private warnIfSlow({ method, url }: FastifyRequest['routeOptions'], durationMs: number): void {
    const message =
      'an operation with @Idempotent() held its transaction for more than a second; move outgoing calls out of it';
    if (durationMs > SLOW_MS) this.logger.warn({ message, method, route: url, durationMs });
  }
}

/** The record of a key, sent quoted or not, unless it has expired. Version 1 took the two for different keys. */
function find(manager: EntityManager, { accountId, key }: IdempotentRequest, nowMs: number) {
  const quoted = `"${key.replaceAll(/["\\]/g, '\\$&')}"`;
  // A text that begins with a quote can only be sent quoted.
  const bare = key.startsWith('"') ? quoted : key;
  const idempotencyKey = In([bare, quoted]);
  return manager.findOneBy(IdempotencyRecord, { accountId, idempotencyKey, expiresAt: MoreThan(nowMs) });
}

export function reused(): ApiError {
  return new ApiError('idempotency_key_reused', 'This Idempotency-Key was used with another request. Use a new one.');
}

export function inUse(): ApiError {
  return new ApiError('idempotency_key_in_use', 'A request with this Idempotency-Key is still running. Retry later.', {
    'retry-after': '1',
  });
}

type Headers = Readonly<Partial<ReturnType<FastifyReply['getHeaders']>>>;

const RATE_LIMIT = /^(x-)?ratelimit/;

/** Status, body and those headers that the operation set. @throws Error if the body is no text, such as a file */
function storedResponse(reply: FastifyReply, before: Headers, body: unknown): string {
  if (typeof body !== 'string' && body != null)
    throw new Error('An operation with @Idempotent() must return JSON or text, not a file.');
  const headers = Object.entries(reply.getHeaders()).filter(
    ([name, value]) => before[name] !== value && !RATE_LIMIT.test(name),
  );
  return JSON.stringify({ status: reply.statusCode, headers: Object.fromEntries(headers), body: body ?? undefined });
}

function replay(reply: FastifyReply, stored: string): void {
  const { status, headers, body } = JSON.parse(stored) as { status: number; headers: Headers; body?: string };
  void reply.code(status).headers(headers).header('idempotent-replayed', 'true').send(body);
}

/** Restores the headers from before a handler whose work was rolled back. */
function resetHeaders(reply: FastifyReply, before: Headers): void {
  for (const name of Object.keys(reply.getHeaders())) if (before[name] === undefined) reply.removeHeader(name);
  reply.headers(before);
}
