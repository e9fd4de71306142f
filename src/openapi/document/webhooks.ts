import { getSchemaPath } from '@nestjs/swagger';
import type { OperationObject, ParameterObject, PathItemObject, ResponseObject, SchemaObject } from '@nestjs/swagger';
import type { EventType } from '../../database/events/event-types.js';

/** Of the event feed. */
const EVENT_SCHEMA = { $ref: '#/components/schemas/Event' };
const ENVELOPE = { id: '0b5f1a4e-6f0e-4a43-9d1f-3f6f1d1c2b7a', createdAt: '2026-11-21T12:00:00.000Z' };

/** The headers of a delivery, as Standard Webhooks names them. */
const PARAMETERS: Readonly<Record<string, ParameterObject>> = {
  DeliveryId: {
    name: 'webhook-id',
    in: 'header',
    required: true,
    description: 'The `id` of the event, the same for each attempt.',
    schema: { type: 'string', format: 'uuid', maxLength: 36 },
    example: ENVELOPE.id,
  },
  DeliveryTimestamp: {
    name: 'webhook-timestamp',
    in: 'header',
    required: true,
    description: 'Unix timestamp of the attempt. Refuse it if it is more than five minutes off.',
    schema: { type: 'string', pattern: '^\\d+$', maxLength: 16 },
    example: '1795262400',
  },
  DeliverySignature: {
    name: 'webhook-signature',
    in: 'header',
    required: true,
    description:
      'Signatures separated by spaces. Each is `v1,` and the base64-encoded HMAC-SHA-256 of `webhook-id`, ' +
      '`webhook-timestamp` and the body, joined by dots.',
    schema: { type: 'string', pattern: '^v1,\\S+( v1,\\S+)*$', maxLength: 200 },
    example: `v1,${'A'.repeat(43)}=`,
  },
};

const RESPONSES: Readonly<Record<string, ResponseObject>> = {
  EventReceived: { description: 'The receiver accepted the event. After any other status, the delivery is retried.' },
};

/** The catalogue of events, as the `webhooks` of OpenAPI 3.1: each type with its meaning, schema and an example. */
export function webhooksOf(types: Iterable<EventType>) {
  return {
    webhooks: Object.fromEntries(
      [...types].map((type): [string, PathItemObject] => [type.name, { post: webhookOf(type) }]),
    ),
    parameters: PARAMETERS,
    responses: RESPONSES,
  };
}

/** The names and patterns that stand for some of these types. */
export function patternsOf(types: readonly EventType[]): string[] {
  const names = types.map(({ name }) => name);
  const prefixes = names.map((name) => `${name.slice(0, name.indexOf('.'))}.*`);
  return [...new Set(['*', ...prefixes, ...names])];
}

function webhookOf({ name, meaning, scope, schema, example }: EventType): OperationObject {
  const specific: SchemaObject = {
    type: 'object',
    properties: { type: { type: 'string', enum: [name] }, data: { $ref: getSchemaPath(schema) } },
  };
  const value = { ...ENVELOPE, type: name, ...example };
  return {
    operationId: name.replaceAll(/(?:^|\W|_)(\w)/g, (_, letter: string) => letter.toUpperCase()),
    summary: meaning,
    description: `Needs the scope \`${scope}\`.`,
    security: [],
    parameters: Object.keys(PARAMETERS).map((one) => ({ $ref: `#/components/parameters/${one}` })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { allOf: [EVENT_SCHEMA, specific] }, example: value } },
    },
    responses: { '2XX': { $ref: '#/components/responses/EventReceived' } },
  };
}
