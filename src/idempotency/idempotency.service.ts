import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { EntityManager } from 'typeorm';
import { readBearerToken } from '../auth/index.js';
import { Clock } from '../config/index.js';
import { Database, tryLockUntilCommit } from '../database/index.js';
import { ApiError } from '../errors/index.js';
import type { Answer, Attempt } from './attempt.js';
import { findRecord, RETENTION_MS, writeRecord } from './record-sql.js';
import { fingerprint, seal, unseal } from './sealing.js';

type Work = (manager: EntityManager) => Promise<Answer>;

/** A request with an Idempotency-Key, as far as it's compared with others. */
interface Keyed {
  readonly accountId: number;
  readonly idempotencyKey: string;
  readonly fingerprint: string;
  /** The API key itself. */
  readonly apiKey: string;
}

const IN_USE_RETRY_AFTER_SECONDS = 1;
const NO_BODY = Buffer.alloc(0);

/**
 * Lets a client send a request again without anything being done twice. The answer is kept for 24 hours, per account,
 * in the transaction that did what it tells of: so a request that failed, or of which nothing is left, may be tried anew.
 */
@Injectable()
export class Idempotency {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Does `work` in a transaction, or hands out what it gave when the same request came before.
   * @param work as for `Database.write`
   * @param withoutKey what a request without Idempotency-Key does, where that can be had cheaper
   * @returns the body, for the handler to return; the headers are set
   * @throws (rejects) ApiError `idempotency_key_reused` or `idempotency_key_in_use`, or what `work` rejects with
   */
  async answer({ key, request, reply }: Attempt, work: Work, withoutKey = () => this.database.write(work)): Promise<string> {
    const { headers = {}, body } = key === undefined ? await withoutKey() : await this.once(keyed(request, key), work);
    reply.headers(headers);
    return typeof body === 'string' ? body : JSON.stringify(body);
  }

  /**
   * Keeps other requests with the same key off until the transaction ends.
   * @returns what one of them has left behind meanwhile
   * @throws (rejects) ApiError `idempotency_key_in_use`: to wait for the other one could take long
   */
  private async claim(manager: EntityManager, request: Keyed, nowMs: number) {
    if (!(await tryLockUntilCommit(manager, lockName(request)))) throw inUse();
    return findRecord(manager, request, nowMs);
  }

  private once(request: Keyed, work: Work): Promise<Answer> {
    return this.database.write(async (manager) => {
      const nowMs = this.clock.nowMs();
      const record = (await findRecord(manager, request, nowMs)) ?? (await this.claim(manager, request, nowMs));
      if (record !== undefined) return replay(record, request);
      const { headers, body } = await work(manager);
      const answer = { headers, body: typeof body === 'string' ? body : JSON.stringify(body) };
      const sealedAnswer = seal(JSON.stringify(answer), request.apiKey);
      await writeRecord(manager, { ...request, sealedAnswer, expiresAt: nowMs + RETENTION_MS });
      return answer;
    });
  }
}

function keyed(request: FastifyRequest, idempotencyKey: string): Keyed {
  const { caller, rawBody = NO_BODY, method, url } = request;
  const apiKey = readBearerToken(request);
  if (caller === undefined || typeof apiKey !== 'string') throw new Error('Only requests with an API key can be idempotent.');
  return { accountId: caller.accountId, idempotencyKey, fingerprint: fingerprint(caller.keyId, method, url, rawBody), apiKey };
}

function replay(record: { readonly fingerprint: string; readonly sealedAnswer: string }, request: Keyed): Answer {
  if (record.fingerprint !== request.fingerprint) throw reused();
  return JSON.parse(unseal(record.sealedAnswer, request.apiKey)) as Answer;
}

function lockName({ accountId, idempotencyKey }: Keyed): string {
  return `idempotency ${accountId} ${idempotencyKey}`;
}

function reused(): ApiError {
  return new ApiError('idempotency_key_reused', 'This Idempotency-Key was used with another request, or with another API key. Use a new one.');
}

function inUse(): ApiError {
  return new ApiError('idempotency_key_in_use', 'A request with this Idempotency-Key is still running. Send it again later.', {
    'retry-after': String(IN_USE_RETRY_AFTER_SECONDS),
  });
}
