import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { INTERCEPTORS_METADATA } from '@nestjs/common/constants.js';
import type { FastifyReply } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import type { EntityManager } from 'typeorm';
import { Clock } from '../config/index.js';
import { Database, tryLockUntilCommit } from '../database/index.js';
import { ApiError } from '../errors/index.js';
import { replyOf, requestOf } from '../http/index.js';
import { IdempotencyRepository } from './idempotency.repository.js';
import { type IdempotentRequest, idempotentRequest } from './idempotent-request.js';
import { resetHeaders, restoreResponse, storeResponse } from './stored-response.js';

/** How long a response is stored, in milliseconds. */
const RETENTION_MS = 24 * 60 * 60 * 1000;
const IN_USE_RETRY_AFTER_SECONDS = 1;

/**
 * Lets a client repeat a POST safely. With an Idempotency-Key, the handler runs in a transaction, which `Database.write` and
 * the repositories of TypeORM join, and which also stores the response for 24 hours, per account. A request that fails
 * leaves no record, so it can be sent again.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly records: IdempotencyRepository,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = requestOf(context);
    const key = request.headers['idempotency-key'];
    if (key === undefined) return next.handle();
    return from(this.once(idempotentRequest(request, key), replyOf(context), next));
  }

  private async once(request: IdempotentRequest, reply: FastifyReply, next: CallHandler): Promise<unknown> {
    const before = reply.getHeaders();
    try {
      return await this.database.write(async (manager) => {
        const nowMs = this.clock.nowMs();
        const record =
          (await this.records.find(manager, request, nowMs)) ?? (await this.claim(manager, request, nowMs));
        if (record !== undefined) {
          if (record.fingerprint !== request.fingerprint) throw reused();
          return restoreResponse(reply, record.sealedAnswer, request.apiKey);
        }
        const body: unknown = await lastValueFrom(next.handle(), { defaultValue: undefined });
        const sealedAnswer = storeResponse(reply, before, body, request.apiKey);
        await this.records.save(manager, { ...request, sealedAnswer, expiresAt: nowMs + RETENTION_MS });
        return body;
      });
    } catch (error) {
      resetHeaders(reply, before);
      throw error;
    }
  }

  /**
   * Locks the key until the transaction ends.
   * @returns the record that another request has written since the first look
   * @throws (rejects) ApiError `idempotency_key_in_use` instead of waiting, which could take long
   */
  private async claim(manager: EntityManager, request: IdempotentRequest, nowMs: number) {
    const { accountId, idempotencyKey } = request;
    if (!(await tryLockUntilCommit(manager, `idempotency ${accountId} ${idempotencyKey}`))) throw inUse();
    return this.records.find(manager, request, nowMs);
  }
}

/**
 * Binds the interceptor to handlers, like `@UseInterceptors()`, before an application is created. So every POST has it, and
 * no module can forget it. A global interceptor would cost each GET a third of its throughput.
 */
export function makeIdempotent(handlers: readonly Function[]): void {
  for (const handler of handlers) {
    const bound = (Reflect.getMetadata(INTERCEPTORS_METADATA, handler) ?? []) as readonly unknown[];
    // Classes outlive an application, and tests start many.
    if (bound.includes(IdempotencyInterceptor)) continue;
    // The first one, so that it stores what the other interceptors of the handler have made of the response.
    Reflect.defineMetadata(INTERCEPTORS_METADATA, [IdempotencyInterceptor, ...bound], handler);
  }
}

export function reused(): ApiError {
  return new ApiError(
    'idempotency_key_reused',
    'This Idempotency-Key was used with another request, or with another API key. Use a new one.',
  );
}

export function inUse(): ApiError {
  return new ApiError('idempotency_key_in_use', 'A request with this Idempotency-Key is still running. Retry later.', {
    'retry-after': String(IN_USE_RETRY_AFTER_SECONDS),
  });
}
