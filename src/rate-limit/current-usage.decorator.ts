import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { requestOf } from '../http/index.js';
import type { UsageReport } from './windows/decision.js';

/** Where the caller stands, as a parameter of the handler of an operation that takes no quota. */
export const CurrentUsage = createParamDecorator(
  (_data: unknown, context: ExecutionContext): UsageReport | undefined => requestOf(context).usage,
);

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the plan's windows were taken from, or need not be. */
    isAdmitted: boolean;
    /** Set for operations that use no quota. */
    usage?: UsageReport;
  }
}
