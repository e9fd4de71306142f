import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { DateTimeParam, TIME_SCHEMA } from '../../http/validation/date-time.js';
import { EnumParam } from '../../http/validation/params.js';
import { enumSchema } from '../../http/validation/fields.js';
import { type HistoryQuery, MOST_ITEMS, OUTCOMES } from '../../rate-limit/history/usage-history.js';

const INTERVAL = { name: 'UsageInterval', values: ['hour', 'day'], meaning: 'An hour or a UTC day.' };
const OUTCOME = { name: 'UsageOutcome', values: OUTCOMES, meaning: 'What became of a request.' };

const time = (description: string) => ({ ...TIME_SCHEMA, description });
const name = (description: string) => ({
  type: String,
  pattern: '^\\w+$',
  maxLength: 100,
  required: false,
  description,
});

export class UsageHistoryQuery implements HistoryQuery {
  @DateTimeParam({ description: 'Start, rounded down. Default: 24 hours or 30 days before the end.' })
  from?: Date;

  @DateTimeParam({ description: 'End, rounded up. Default: now.' })
  to?: Date;

  @EnumParam({ ...INTERVAL, description: 'Length of an interval. Default: `day`.' })
  interval: HistoryQuery['interval'] = 'day';

  @EnumParam({
    name: 'UsageSplit',
    values: ['key', 'operation', 'outcome'],
    description: 'What to split intervals by.',
  })
  by?: NonNullable<HistoryQuery['by']>;
}

@ApiSchema({ name: 'UsageHistoryItem', description: 'Requests in an interval.' })
export class UsageHistoryItem {
  @ApiProperty(time('Start of the interval.'))
  start!: string;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Number of requests.' })
  requests!: number;

  @ApiProperty(name('With `by=key`: the identifier of the API key, or `other`.'))
  key?: string;

  @ApiProperty(name('With `by=operation`: the operation, `unmatched` or `other`.'))
  operation?: string;

  @ApiProperty({ ...enumSchema(OUTCOME), description: 'With `by=outcome`.', required: false })
  outcome?: string;
}

@ApiSchema({ name: 'UsageHistory', description: 'The requests of an account over time.' })
export class UsageHistoryReport {
  @ApiProperty(time('Start of the first interval.'))
  from!: string;

  @ApiProperty(time('End of the last interval.'))
  to!: string;

  @ApiProperty({ ...enumSchema(INTERVAL), description: 'Length of the intervals.' })
  interval!: string;

  @ApiProperty({
    type: [UsageHistoryItem],
    maxItems: MOST_ITEMS,
    description: 'By time. Only intervals with requests.',
  })
  items!: readonly UsageHistoryItem[];
}
