import { ApiProperty, ApiSchema, IntersectionType, PickType } from '@nestjs/swagger';
import { TIME_SCHEMA } from '../../http/validation/date-time.js';
import { rfc3339 } from '../../platform/config/clock.js';
import type { UsageReport, WindowReport } from '../../rate-limit/windows/decision.js';
import { MAX_LIMIT } from '../keys/key-options.js';
import { KeyDetails } from '../keys/key-responses.dto.js';

const RESETS_AT = {
  ...TIME_SCHEMA,
  description: 'When the window ends. For a minute without a request yet, when it would end if it started now.',
};
const MINUTE = 'The current minute of the account.';
const DAY = 'The current UTC day of the account.';

class Bans {
  @ApiProperty({
    type: 'integer',
    minimum: 0,
    maximum: MAX_LIMIT,
    description:
      '429 responses to this key in the current minute that count towards a ban. The key is banned when they reach the minute limit.',
  })
  strikes!: number;

  @ApiProperty({
    ...TIME_SCHEMA,
    required: false,
    description: 'When the ban of this key ends. Absent if it is not banned.',
  })
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
