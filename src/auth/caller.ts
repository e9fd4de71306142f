import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { AuthenticationFailure } from './authentication/refusals.js';
import type { Limits, PlanName } from '../accounts/index.js';
import { requestOf } from '../http/index.js';

/** Who makes a request, as the key that came with it tells. One object per key while the key stays cached. */
export interface Caller {
  readonly keyId: string;
  readonly accountId: number;
  /** Name of the account. */
  readonly account: string;
  readonly plan: PlanName;
  readonly limits: Limits;
  readonly scopes: ReadonlySet<string>;
  /** Bans and strikes up to this time (Unix, milliseconds) were lifted by an operator; 0 for never. */
  readonly bansLiftedAtMs: number;
}

/** Tells a verified key's holder from a refusal. */
export function isCaller(answer: Caller | AuthenticationFailure): answer is Caller {
  return 'keyId' in answer;
}

/** The Caller of the request, as a parameter of a route handler; undefined only on routes that are public. */
export const CurrentCaller = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Caller | undefined => requestOf(context).caller,
);

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by admission; absent outside the versioned API. */
    caller: Caller | undefined;
  }
}
