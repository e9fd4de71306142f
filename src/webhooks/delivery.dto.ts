import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { DateTimeField, EnumField, EnumParam, IdParam, IntegerField, LimitQuery } from '../kernel.js';
import { type ListedDelivery, rfc3339, TIME_SCHEMA } from '../kernel.js';
import { SUBJECT } from '../event-feed/index.js';

@ApiSchema({ name: 'WebhookReplay', description: 'Which deliveries to repeat.' })
export class WebhookReplay {
  @DateTimeField({
    description: 'Repeats deliveries that ended at this time or later.',
    example: '2026-11-21T12:00:00.000Z',
  })
  since!: Date;

  @EnumField({
    description: 'Only deliveries in this state. Default: `failed`.',
    example: 'failed',
    optional: true,
    name: 'RepeatedState',
    values: ['failed', 'delivered'],
    meaning: 'A final state of a delivery.',
  })
  state?: 'failed' | 'delivered';
}

@ApiSchema({ name: 'RepeatedDeliveries', description: 'How many deliveries are repeated.' })
export class RepeatedDeliveries {
  @IntegerField({ description: 'Number of deliveries.', example: 12, minimum: 0, maximum: 2_147_483_647 })
  repeated!: number;
}

const DELIVERY_STATE = {
  name: 'DeliveryState',
  values: ['pending', 'delivered', 'failed'],
  meaning: 'State of a delivery. A failed one is not retried, unless you repeat it.',
} as const;

@ApiSchema({ name: 'Delivery', description: 'The delivery of an event to a webhook.' })
export class Delivery {
  @ApiProperty({
    type: String,
    format: 'uuid',
    maxLength: 36,
    description: 'Identifier of the event, as in `webhook-id`.',
    example: '0b5f1a4e-6f0e-4a43-9d1f-3f6f1d1c2b7a',
    required: false,
  })
  eventId?: string;

  @ApiProperty({
    type: String,
    pattern: SUBJECT.source,
    maxLength: 200,
    description: 'The resource that changed.',
    example: 'pet:7',
  })
  subject!: string;

  @EnumField({ description: 'State of the delivery.', example: 'failed', ...DELIVERY_STATE })
  state!: string;

  @IntegerField({ description: 'Attempts so far.', example: 3, minimum: 0, maximum: 100 })
  attempts!: number;

  @ApiProperty({
    ...TIME_SCHEMA,
    description: 'When the next attempt is due or, after the last attempt, when that was due.',
  })
  dueAt!: string;

  @ApiProperty({
    type: String,
    maxLength: 1_000,
    pattern: '\\S',
    description: 'Why the last attempt failed.',
    example: 'The receiver responded with 500.',
    required: false,
  })
  error?: string;
}

export class ListDeliveriesQuery extends LimitQuery {
  /** Decimal digits. */
  @IdParam({ description: 'Cursor from the `Link` of the previous page.' })
  after?: string;

  @EnumParam({ description: 'Return only deliveries in this state.', ...DELIVERY_STATE })
  state?: 'pending' | 'delivered' | 'failed';
}

export function deliveryJson({ eventId, subject, state, attempts, dueAt, error }: ListedDelivery): Delivery {
  return {
    ...(eventId === undefined ? {} : { eventId }),
    subject,
    state,
    attempts,
    dueAt: rfc3339(dueAt),
    ...(error === null ? {} : { error }),
  };
}
