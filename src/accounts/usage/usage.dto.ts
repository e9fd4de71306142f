import { ApiProperty, ApiSchema, IntersectionType, PickType } from '@nestjs/swagger';
import { DateTimeParam } from '../../http/validation/date-time.js';
import { enumSchema } from '../../http/validation/fields.js';
import { EnumParam } from '../../http/validation/params.js';
import { rfc3339 } from '../../platform/config/clock.js';
import { type HistoryQuery, MOST_ITEMS, OUTCOMES } from '../../rate-limit/history/usage-history.js';
import type { UsageReport, WindowReport } from '../../rate-limit/windows/decision.js';
import { MAX_LIMIT } from '../keys/key-options.js';
import { KeyDetails, timeProperty } from '../keys/key-responses.dto.js';

const RESETS_AT = timeProperty(
  'When the window ends. If the minute has not started: when it would end if it started now.',
  true,
);
const MINUTE = 'The current minute of the account.';
const DAY = 'The current UTC day of the account.';

class Bans {
  @ApiProperty({
    type: 'integer',
    minimum: 0,
    maximum: MAX_LIMIT,
    description: '429 responses to this key in the current minute. At the minute limit, the key is banned.',
  })
  strikes!: number;

  @ApiProperty(timeProperty('When the ban of this key ends. Absent if it is not banned.'))
  bannedUntil?: string;
}

@ApiSchema({ name: 'UsageWindow', description: 'The usage of one window of the plan.' })
export class WindowUsage {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: MAX_LIMIT, description: 'Requests allowed in the window.' })
  limit!: number;

  @ApiProperty({ type: 'integer', minimum: 0, maximum: MAX_LIMIT, description: 'Requests left in the window.' })
  remaining!: number;

  @ApiProperty(RESETS_AT)
  resetsAt!: string;
}

@ApiSchema({ name: 'CallingApiKey', description: 'The API key of the request.' })
export class CallingKey extends PickType(KeyDetails, ['id', 'name', 'scopes', 'expiresAt'] as const) {}

@ApiSchema({ name: 'Usage', description: 'The usage of an account and the calling key.' })
export class Usage extends IntersectionType(Bans, PickType(KeyDetails, ['account', 'plan'] as const)) {
  @ApiProperty(timeProperty('When the limits of the plan apply again. Absent if they apply now.'))
  limitsUntil?: string;

  @ApiProperty({ type: CallingKey, description: 'The key of the request.' })
  key!: CallingKey;

  @ApiProperty({ type: WindowUsage, description: MINUTE })
  minute!: WindowUsage;

  @ApiProperty({ type: WindowUsage, description: DAY })
  day!: WindowUsage;
}

@ApiSchema({
  name: 'ApiKeyUsageWindow',
  description: "The requests of an API key in one window of the account's plan.",
})
export class KeyWindowUsage {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Requests of this key in the window.' })
  requests!: number;

  @ApiProperty(RESETS_AT)
  resetsAt!: string;
}

@ApiSchema({ name: 'ApiKeyUsage', description: "The requests of an API key in the account's current windows." })
export class KeyUsage extends Bans {
  @ApiProperty({ type: KeyWindowUsage, description: MINUTE })
  minute!: KeyWindowUsage;

  @ApiProperty({ type: KeyWindowUsage, description: DAY })
  day!: KeyWindowUsage;
}

const INTERVAL = { name: 'UsageInterval', values: ['hour', 'day'], meaning: 'An hour or a UTC day.' };
const OUTCOME = { name: 'UsageOutcome', values: OUTCOMES, meaning: 'Outcome of a request.' };
const SPLIT = { name: 'UsageSplit', values: ['key', 'operation', 'outcome'] };
const NAME = { type: String, pattern: '^\\w+$', maxLength: 100, required: false };

export class UsageHistoryQuery implements HistoryQuery {
  @DateTimeParam({ description: 'Start, rounded down. Default: 24 hours or 30 days before the end.' })
  from?: Date;

  @DateTimeParam({ description: 'End, rounded up. Default: now.' })
  to?: Date;

  @EnumParam({ ...INTERVAL, description: 'Length of an interval. Default: `day`.' })
  interval: HistoryQuery['interval'] = 'day';

  @EnumParam({ ...SPLIT, description: 'Splits each interval.' })
  by?: NonNullable<HistoryQuery['by']>;
}

@ApiSchema({ name: 'UsageHistoryItem', description: 'Requests in an interval.' })
export class UsageHistoryItem {
  @ApiProperty(timeProperty('Start of the interval.', true))
  start!: string;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Number of requests.' })
  requests!: number;

  @ApiProperty({ ...NAME, description: 'With `by=key`: the identifier of the API key, or `other`.' })
  key?: string;

  @ApiProperty({ ...NAME, description: 'With `by=operation`: the operation, `unmatched` or `other`.' })
  operation?: string;

  @ApiProperty({ ...enumSchema(OUTCOME), description: 'With `by=outcome`: the outcome.', required: false })
  outcome?: string;
}

@ApiSchema({ name: 'UsageHistory', description: 'The requests of an account over time.' })
export class UsageHistoryReport {
  @ApiProperty(timeProperty('Start of the first interval.', true))
  from!: string;

  @ApiProperty(timeProperty('End of the last interval.', true))
  to!: string;

  @ApiProperty({ ...enumSchema(INTERVAL), description: 'Length of the intervals.' })
  interval!: string;

  @ApiProperty({
    type: [UsageHistoryItem],
    maxItems: MOST_ITEMS,
    description: 'In order of time. Intervals without requests are omitted.',
  })
  items!: readonly UsageHistoryItem[];
}

export function bansOf({ strikes, bannedUntilSeconds }: UsageReport): Bans {
  return { strikes, ...(bannedUntilSeconds === 0 ? {} : { bannedUntil: rfc3339(bannedUntilSeconds * 1000) }) };
}

export function windowUsage({ limit, remaining, resetSeconds }: WindowReport): WindowUsage {
  return { limit, remaining, resetsAt: rfc3339(resetSeconds * 1000) };
}

export function keyUsage(report: UsageReport): KeyUsage {
  const { minute, day, key } = report;
  return {
    minute: { requests: key.minute, resetsAt: rfc3339(minute.resetSeconds * 1000) },
    day: { requests: key.day, resetsAt: rfc3339(day.resetSeconds * 1000) },
    ...bansOf(report),
  };
}
