import { ApiProperty, ApiSchema } from '@nestjs/swagger';

@ApiSchema({
  name: 'ApiKeyUsageWindow',
  description: "The requests of an API key in one window of the account's plan.",
})
export class KeyUsageWindow {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Requests of this key in the window.', example: 13 })
  requests!: number;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'When the window ends. For a minute without a request yet, when it would end if it started now.',
    example: '2026-11-21T12:01:00.000Z',
  })
  resetsAt!: string;
}

@ApiSchema({ name: 'ApiKeyUsage', description: "The requests of an API key in the account's current windows." })
export class KeyUsage {
  @ApiProperty({ type: KeyUsageWindow, description: 'The current minute of the account.' })
  minute!: KeyUsageWindow;

  @ApiProperty({ type: KeyUsageWindow, description: 'The current UTC day of the account.' })
  day!: KeyUsageWindow;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Refusals of this key within one minute that count towards a ban.',
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
