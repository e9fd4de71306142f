import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { PLAN_NAMES, type PlanName } from '../auth/index.js';

@ApiSchema({ name: 'UsageWindow', description: 'What is left of one window of the plan.' })
export class UsageWindow {
  @ApiProperty({ type: 'integer', minimum: 1, description: 'Requests that the window allows.', example: 300 })
  limit!: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Requests left in it.', example: 287 })
  remaining!: number;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'When it ends; of a minute in which there was no request yet, when it would end if it began now.',
    example: '2026-11-21T12:01:00.000Z',
  })
  resetsAt!: string;
}

@ApiSchema({ name: 'Usage', description: 'Where an account stands, and the key that asks.' })
export class Usage {
  @ApiProperty({ type: String, description: 'Name of the account.', example: 'acme' })
  account!: string;

  @ApiProperty({ enum: PLAN_NAMES, description: 'Its plan.', example: 'pro' })
  plan!: PlanName;

  @ApiProperty({ type: UsageWindow, description: 'The current minute of the account.' })
  minute!: UsageWindow;

  @ApiProperty({ type: UsageWindow, description: 'The current UTC day of the account.' })
  day!: UsageWindow;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: "429 answers to this key within one minute that count towards a ban. It is banned at as many as the minute's limit.",
    example: 0,
  })
  strikes!: number;

  @ApiProperty({
    type: String,
    format: 'date-time',
    required: false,
    description: 'When the ban of this key ends; absent while it is not banned.',
    example: '2026-11-21T12:02:00.000Z',
  })
  bannedUntil?: string;
}
