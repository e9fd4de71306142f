import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { EventTypes, EVERY_ACCOUNT, type LoggedEvent, LimitQuery } from '../kernel.js';
import { PatternParam, rfc3339, TIME_SCHEMA } from '../kernel.js';

export const SUBJECT = /^[a-z][a-z0-9_-]*:[A-Za-z0-9_.~-]+$/;
/** A type of event, or a pattern such as `pet.*`. */
export const TYPE_PATTERN = String.raw`(\*|[a-z][a-z0-9_-]*\.(\*|[a-z0-9_.-]+))`;
const MAX_TYPES_LENGTH = 1_000;
/** The actor of a command line, which has a system user or what `PETSTORE_OPERATOR` says. */
const OPERATOR = /^cli:.*$/s;

/** An event as consumers get it: in the feed, and by webhooks. */
@ApiSchema({ name: 'Event', description: 'A change of a resource.' })
export class Event {
  @ApiProperty({
    type: String,
    format: 'uuid',
    maxLength: 36,
    description: 'Unique. An event can arrive more than once; process each identifier once.',
    example: '0b5f1a4e-6f0e-4a43-9d1f-3f6f1d1c2b7a',
  })
  id!: string;

  @ApiProperty({
    type: String,
    pattern: EventTypes.NAME.source,
    maxLength: EventTypes.MAX_NAME_LENGTH,
    description: 'Type of the event. `webhooks` of this document lists all types. New ones can be added.',
    example: 'pet.created',
  })
  type!: string;

  @ApiProperty({
    type: String,
    pattern: SUBJECT.source,
    maxLength: 200,
    description: 'The resource that changed. Events with the same subject are in order.',
    example: 'pet:7',
  })
  subject!: string;

  @ApiProperty({ ...TIME_SCHEMA, description: 'When the resource changed.' })
  createdAt!: string;

  @ApiProperty({
    type: String,
    maxLength: 100,
    pattern: '\\S',
    description:
      'The API key that made the change, `cli` for a command of the operator, or a task such as `order-expiry`. Only for ' +
      'changes by the account or to its resources.',
    example: 'key_0123456789abcdef',
    required: false,
  })
  actor?: string;

  @ApiProperty({
    type: String,
    maxLength: 64,
    pattern: '^[\\w.-]+$',
    description: 'The `X-Request-Id` of the change. Only for changes by the account or to its resources.',
    example: '5b0f4f5c-0c86-4b0a-9a0e-7e2b4d2a9c11',
    required: false,
  })
  requestId?: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The resource after the change, as the API returns it. If it was removed, its last state.',
    example: { id: 7, name: 'Bella', categoryId: 3, status: 'available' },
  })
  data!: object;
}

export class ListEventsQuery extends LimitQuery {
  @PatternParam({
    description:
      'Cursor from the `Link` of the previous page, or `latest` for events from now on. ' +
      'Default: the oldest event that is kept.',
    pattern: /^[\w-]+$/,
    maxLength: 100,
    expectation: 'latest, or as in the Link header of the previous page',
    example: 'NDItMTc5NTIxOTIwMDAwMA',
  })
  after?: string;

  @PatternParam({
    description: 'Return only these types, separated by commas. `pet.*` stands for all types of pets.',
    pattern: new RegExp(`^${TYPE_PATTERN}(,${TYPE_PATTERN})*$`),
    maxLength: MAX_TYPES_LENGTH,
    expectation: 'event types separated by commas, such as pet.*,order.placed',
    example: 'pet.*,order.placed',
  })
  types?: string;

  @PatternParam({
    description: 'Return only events of this resource.',
    pattern: SUBJECT,
    maxLength: 200,
    expectation: 'a subject of events, such as pet:7',
    example: 'pet:7',
  })
  subject?: string;
}

/**
 * JSON of an event, for the members of an account: the same bytes in each way out. The resource keeps its own bytes, because
 * its integers can exceed 2^53. What made a change is told only to its own account, and of operators only that they did.
 */
export function eventJson(event: LoggedEvent, accountId: number): string {
  const { eventId: id, type, subject, at, data, actor, actorAccountId, requestId } = event;
  const isOwn = actorAccountId === accountId || event.accountId !== EVERY_ACCOUNT;
  const head = JSON.stringify({
    id,
    type,
    subject,
    createdAt: rfc3339(at),
    ...(isOwn && actor !== null ? { actor: actor.replace(OPERATOR, 'cli') } : {}),
    ...(isOwn && requestId !== null ? { requestId } : {}),
  } satisfies Omit<Event, 'data'>);
  return `${head.slice(0, -1)},"data":${data}}`;
}
