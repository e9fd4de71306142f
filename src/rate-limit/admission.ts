import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, challenge, isCaller, type KeyRefusal, KeyVerifier, readBearerToken } from '../auth/index.js';
import { type Problem, problem, sendProblem } from '../errors/index.js';
import { isPreflight, isVersioned } from '../http/index.js';
import { quotaAddress } from './address.js';
import { AdmissionTally } from './admission-tally.js';
import { CounterStore } from './counter-store.js';
import type { Decision } from './decision.js';
import { RETRY_AFTER_HEADER, setRateLimitHeaders } from './rate-limit-headers.js';
import { shownWindow } from './usage-report.js';
import { MINUTE_SECONDS } from './window.js';

/** Requests that an account with a small plan may make a minute of operations that take no quota. */
const LEAST_FREE_PER_MINUTE = 300;

type Done = (error?: Error) => void;

/**
 * The first step of every request under the versioned API, before routing and before any body is read:
 * who is calling, is the key banned, is there quota. Sets the rate-limit headers, and answers 401 and 429 itself.
 */
@Injectable()
export class Admission {
  constructor(
    private readonly verifier: KeyVerifier,
    private readonly counters: CounterStore,
    private readonly tally: AdmissionTally,
  ) {}

  /** A Fastify `onRequest` hook. */
  onRequest(request: FastifyRequest, reply: FastifyReply, done: Done): void {
    if (!isVersioned(request.url)) return done();
    if (isPreflight(request)) return this.show(request, reply, done);
    const token = readBearerToken(request);
    if (typeof token !== 'string') return this.refuse(token, request, reply, done);
    const unavailable = (error: Error) => {
      this.tally.add('none', 'unavailable');
      this.show(request, reply, () => done(error));
    };
    settle(() => this.verifier.verify(token), unavailable, (verdict) => {
      if (isCaller(verdict)) this.admit(verdict, request, reply, done);
      else this.refuse(verdict, request, reply, done);
    });
  }

  private admit(caller: Caller, request: FastifyRequest, reply: FastifyReply, done: Done): void {
    // The router has found the operation by now, but nothing of it has run.
    if (request.routeOptions.config.quota === 'none') return this.admitFree(caller, request, reply, done);
    settle(() => this.counters.admit(caller), done, (decision) => {
      this.tally.add(caller.plan, decision.outcome);
      setRateLimitHeaders(reply, decision);
      if (decision.outcome === 'admitted') {
        request.caller = caller;
        done();
      } else {
        sendProblem(reply, tooMany(decision));
      }
    });
  }

  /**
   * For operations that take no quota, which an exhausted account and a banned key may call too. Nothing is free
   * without bound: they have a window of their own, for each account.
   */
  private admitFree(caller: Caller, request: FastifyRequest, reply: FastifyReply, done: Done): void {
    const limit = Math.max(LEAST_FREE_PER_MINUTE, caller.limits.perMinute);
    settle(() => this.counters.takeFromRoute(`free:${caller.accountId}`, limit, MINUTE_SECONDS), done, (decision) => {
      this.tally.add(caller.plan, decision.outcome);
      if (decision.outcome !== 'admitted') {
        setRateLimitHeaders(reply, decision);
        return sendProblem(reply, tooMany(decision));
      }
      settle(() => this.counters.peek(caller), done, (usage) => {
        setRateLimitHeaders(reply, shownWindow(usage));
        request.caller = caller;
        request.usage = usage;
        done();
      });
    });
  }

  /** Failed authentication takes from the quota of the client's address, never from an account's. */
  private refuse(refusal: KeyRefusal, request: FastifyRequest, reply: FastifyReply, done: Done): void {
    settle(() => this.counters.admitAddress(quotaAddress(request.ip)), done, (decision) => {
      const admitted = decision.outcome === 'admitted';
      this.tally.add('none', admitted ? 'unauthenticated' : 'address_limited');
      setRateLimitHeaders(reply, decision);
      sendProblem(reply, admitted ? problem(refusal.code, refusal.message, { 'www-authenticate': challenge(refusal) }) : tooMany(decision));
    });
  }

  /** For requests without a known caller that must not be counted. */
  private show(request: FastifyRequest, reply: FastifyReply, done: Done): void {
    settle(() => this.counters.peekAddress(quotaAddress(request.ip)), done, (decision) => {
      setRateLimitHeaders(reply, decision);
      done();
    });
  }
}

function tooMany(decision: Decision): Problem {
  const wait = `Wait ${decision.retryAfterSeconds} s before you retry.`;
  const headers = { [RETRY_AFTER_HEADER]: String(decision.retryAfterSeconds) };
  return decision.outcome === 'banned'
    ? problem('api_key_banned', `This API key is banned for going on after 429 Too Many Requests. ${wait}`, headers)
    : problem('rate_limit_exceeded', `The limit of ${decision.limit} requests is exhausted. ${wait}`, headers);
}

/** Goes on at once where the value is there: most decisions are made in memory, and a promise each would show. */
function settle<T>(get: () => T | Promise<T>, fail: (error: Error) => void, next: (value: T) => void): void {
  let value: T | Promise<T>;
  try {
    value = get();
  } catch (error) {
    return fail(error as Error);
  }
  if (value instanceof Promise) value.then(next, fail);
  else next(value);
}
