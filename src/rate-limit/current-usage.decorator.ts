import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { requestOf } from '../http/index.js';
import type { UsageReport } from './windows/decision.js';

/** Injects the usage of the caller into the handler of an operation that uses no quota. */
export const CurrentUsage = createParamDecorator(
  (_data: unknown, context: ExecutionContext): UsageReport | undefined => requestOf(context).usage,
);

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for operations that use no quota. */
    usage?: UsageReport;
  }
}
