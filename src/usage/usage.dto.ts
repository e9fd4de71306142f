import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ACCOUNT_NAME_SCHEMA, MAX_LIMIT, PLAN_NAMES, type PlanName } from '../accounts/index.js';

@ApiSchema({ name: 'UsageWindow', description: 'The usage of one window of the plan.' })
export class UsageWindow {
  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: MAX_LIMIT,
    description: 'Requests allowed in the window.',
    example: 300,
  })
  limit!: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    maximum: MAX_LIMIT,
    description: 'Requests left in the window.',
    example: 287,
  })
  remaining!: number;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'When the window ends. For a minute without a request yet, when it would end if it started now.',
    example: '2026-11-21T12:01:00.000Z',
  })
  resetsAt!: string;
}

@ApiSchema({ name: 'Usage', description: 'The usage of an account and the calling key.' })
export class Usage {
  @ApiProperty({ ...ACCOUNT_NAME_SCHEMA, description: 'Name of the account.' })
  account!: string;

  @ApiProperty({ enum: PLAN_NAMES, enumName: 'Plan', description: 'Plan of the account.', example: 'pro' })
  plan!: PlanName;

  @ApiProperty({ type: UsageWindow, description: 'The current minute of the account.' })
  minute!: UsageWindow;

  @ApiProperty({ type: UsageWindow, description: 'The current UTC day of the account.' })
  day!: UsageWindow;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    maximum: MAX_LIMIT,
    description:
      '429 responses to this key in the current minute that count towards a ban. The key is banned when they reach the minute limit.',
    example: 0,
  })
  strikes!: number;

  @ApiProperty({
    type: String,
    format: 'date-time',
    required: false,
    description: 'When the ban of this key ends. Absent if it is not banned.',
    example: '2026-11-21T12:02:00.000Z',
  })
  bannedUntil?: string;
}
