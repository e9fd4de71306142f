import { Controller, Get, Query, Res } from '@nestjs/common';
import { Throttle } from '@nestjs/throttler';
import type { FastifyReply } from 'fastify';
import { rfc3339 } from '../../platform/config/clock.js';
import { type Caller, CurrentCaller } from '../../auth/caller.js';
import { Operation, OperationGroup } from '../../openapi/operation.decorator.js';
import { CounterStore } from '../../rate-limit/counter-store.js';
import { UsageHistory, UsageRecorder } from '../../rate-limit/history/usage-history.js';
import { bansOf, type Usage, UsageHistoryQuery, type UsageHistoryReport, windowUsage } from './usage.dto.js';
import { GET_USAGE, GET_USAGE_HISTORY, HISTORY_LIMIT } from './usage.operations.js';

@OperationGroup('Usage', 'Requests left in the plan, and requests made.')
@Controller('usage')
export class UsageController {
  constructor(
    private readonly counters: CounterStore,
    private readonly history: UsageHistory,
    private readonly recorder: UsageRecorder,
  ) {}

  @Get()
  @Operation(GET_USAGE)
  async getUsage(@CurrentCaller() caller: Caller, @Res({ passthrough: true }) reply: FastifyReply): Promise<Usage> {
    const usage = await this.counters.peek(caller);
    reply.header('cache-control', 'no-store');
    const { account, plan, keyId: id, keyName, scopes, keyExpiresAtMs, limitsEndAtMs } = caller;
    const name = keyName === undefined ? {} : { name: keyName };
    const expiry = keyExpiresAtMs === undefined ? {} : { expiresAt: rfc3339(keyExpiresAtMs) };
    const key = { id, ...name, scopes: [...scopes], ...expiry };
    const limitsUntil = limitsEndAtMs === undefined ? {} : { limitsUntil: rfc3339(limitsEndAtMs) };
    const windows = { minute: windowUsage(usage.minute), day: windowUsage(usage.day) };
    return { account, plan, ...limitsUntil, key, ...windows, ...bansOf(usage) };
  }

  @Get('history')
  @Operation(GET_USAGE_HISTORY)
  @Throttle({ default: { limit: HISTORY_LIMIT, ttl: 60_000 } })
  async getUsageHistory(
    @Query() query: UsageHistoryQuery,
    @CurrentCaller() { accountId }: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<UsageHistoryReport> {
    reply.header('cache-control', 'no-store');
    // Includes the requests before this one, which are written once a second.
    await this.recorder.tryRun();
    return this.history.ofAccount(accountId, query);
  }
}
