import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Caller, CurrentCaller } from '../auth/index.js';
import { Operation, OperationGroup, PLANS_PAGE } from '../openapi/index.js';
import { bansJson, CurrentUsage, type UsageReport, windowsJson } from '../rate-limit/index.js';
import type { Usage } from './usage.dto.js';
import { GET_USAGE } from './usage.operations.js';

@OperationGroup('Usage', 'Requests left in the plan.', {
  description: 'How the minute and the day work',
  address: `${PLANS_PAGE}#windows-title`,
})
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
    return { account, plan, ...windowsJson(report), ...bansJson(report) };
  }
}
