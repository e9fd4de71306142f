import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { BooleanField, EnumField, EnumListField, IdField, IdParam, IntegerField } from '../kernel.js';
import { KEY_ID_SCHEMA, LimitQuery, TextField, TIME_SCHEMA } from '../kernel.js';
import { TYPE_PATTERN } from '../event-feed/index.js';
import { WEBHOOK_STATES, type WebhookState } from './webhook.entity.js';

const TYPE = new RegExp(`^${TYPE_PATTERN}$`);
const URL_FIELD = {
  description: 'Where events are posted: a public `https` URL with port 443.',
  example: 'https://example.com/hooks/pets',
  maxLength: 2_000,
};
const TYPES = {
  description: 'Types of events, or patterns such as `pet.*`. Default: all that the key can read.',
  example: ['pet.*', 'order.placed'],
  optional: true,
  name: 'EventPattern',
  values: ['*', 'pet.*', 'category.*', 'order.*', 'key.*', 'webhook.*'],
  isOther: (text: string) => text.length <= 100 && TYPE.test(text),
  meaning: 'A type of event, or a pattern that ends in `*`.',
} as const;
const SECRET = {
  type: String,
  pattern: '^whsec_[A-Za-z0-9+/]{32}$',
  maxLength: 38,
  description: 'Verifies the signatures of deliveries (Standard Webhooks). Only this response shows it.',
  example: `whsec_${'A'.repeat(32)}`,
};
const LONGEST_OVERLAP_SECONDS = 604_800;

@ApiSchema({ name: 'WebhookCreation', description: 'A new webhook.' })
export class WebhookCreation {
  @TextField(URL_FIELD)
  url!: string;

  @EnumListField(TYPES)
  types?: string[];
}

@ApiSchema({ name: 'WebhookChange', description: 'Fields to change. Omitted fields are kept.' })
export class WebhookChange {
  @TextField({ ...URL_FIELD, optional: true })
  url?: string;

  @EnumListField({ ...TYPES, description: 'Types of events, or patterns such as `pet.*`.' })
  types?: string[];

  @BooleanField({
    description: '`false` stops deliveries; `true` resumes them where they stopped.',
    example: true,
    optional: true,
  })
  enabled?: boolean;
}

@ApiSchema({ name: 'WebhookRotation', description: 'The rotation of a secret.' })
export class WebhookRotation {
  @IntegerField({
    description: 'How long deliveries are signed with both secrets, in seconds. Default: a day.',
    example: 86_400,
    optional: true,
    minimum: 0,
    maximum: LONGEST_OVERLAP_SECONDS,
  })
  overlapSeconds?: number;
}

@ApiSchema({ name: 'Webhook', description: 'A webhook, without its secret.' })
export class Webhook {
  @IdField({ description: 'Assigned by the service.', example: 1 })
  id!: number;

  @TextField(URL_FIELD)
  url!: string;

  @EnumListField({ ...TYPES, optional: false, description: 'Types of events, or patterns such as `pet.*`.' })
  types!: readonly string[];

  @EnumField({
    description: '`disabled` if the account or the service stopped it. It keeps its position in the log of events.',
    example: 'enabled',
    name: 'WebhookState',
    values: WEBHOOK_STATES,
    meaning: 'Whether events are delivered.',
  })
  state!: WebhookState;

  @ApiProperty({
    type: String,
    maxLength: 200,
    pattern: '\\S',
    description: 'Why the service disabled it.',
    example: 'The receiver responded with 410.',
    required: false,
  })
  reason?: string;

  @ApiProperty({
    ...KEY_ID_SCHEMA,
    description:
      'The key that created or last changed the webhook. While it is active, the events that it can read are delivered.',
  })
  keyId!: string;

  @ApiProperty({ ...TIME_SCHEMA, description: 'When it was created.' })
  createdAt!: string;
}

@ApiSchema({ name: 'IssuedWebhook', description: 'A webhook with a new secret.' })
export class IssuedWebhook extends Webhook {
  @ApiProperty(SECRET)
  secret!: string;
}

@ApiSchema({ name: 'WebhookTest', description: 'The result of a test delivery.' })
export class WebhookTest {
  @BooleanField({ description: 'Whether the receiver responded with 2xx in time.', example: true })
  delivered!: boolean;

  @ApiProperty({
    type: String,
    maxLength: 200,
    pattern: '\\S',
    description: 'Why it failed.',
    example: 'The receiver responded with 500.',
    required: false,
  })
  error?: string;
}

export class ListWebhooksQuery extends LimitQuery {
  /** Decimal digits. */
  @IdParam({ description: 'Return only webhooks after this identifier, the last one of the previous page.' })
  after?: string;
}
