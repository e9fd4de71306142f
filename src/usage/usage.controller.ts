import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Caller, CurrentCaller } from '../auth/index.js';
import { Operation, OperationGroup } from '../openapi/index.js';
import { CurrentUsage, type UsageReport, type WindowReport } from '../rate-limit/index.js';
import type { Usage, UsageWindow } from './usage.dto.js';
import { GET_USAGE } from './usage.operations.js';

@OperationGroup('Usage', 'Requests left in the plan.')
@Controller('usage')
export class UsageController {
  @Get()
  @Operation(GET_USAGE)
  getUsage(
    @CurrentCaller() { account, plan }: Caller,
    @CurrentUsage() report: UsageReport,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Usage {
    reply.header('cache-control', 'no-store');
    const { minute, day, strikes, bannedUntilSeconds } = report;
    return {
      account,
      plan,
      minute: toWindow(minute),
      day: toWindow(day),
      strikes,
      ...(bannedUntilSeconds === 0 ? {} : { bannedUntil: time(bannedUntilSeconds) }),
    };
  }
}

function toWindow({ limit, remaining, resetSeconds }: WindowReport): UsageWindow {
  return { limit, remaining, resetsAt: time(resetSeconds) };
}

/** RFC 3339. */
function time(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
