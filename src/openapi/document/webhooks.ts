import { getSchemaPath } from '@nestjs/swagger';
import type { OperationObject, PathItemObject, SchemaObject } from '@nestjs/swagger';
import type { EventType } from '../../database/events/event-types.js';

/** Of the event feed. */
const EVENT_SCHEMA = { $ref: '#/components/schemas/Event' };
const ENVELOPE = { id: '0b5f1a4e-6f0e-4a43-9d1f-3f6f1d1c2b7a', createdAt: '2026-11-21T12:00:00.000Z' };

/** The catalogue of events, as the `webhooks` of OpenAPI 3.1: each type with its meaning, schema and an example. */
export function webhooksOf(types: Iterable<EventType>): Record<string, PathItemObject> {
  return Object.fromEntries([...types].map((type) => [type.name, { post: webhookOf(type) }]));
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
    tags: ['Events'],
    security: [],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { allOf: [EVENT_SCHEMA, specific] }, example: value } },
    },
    responses: { '2XX': { description: 'The receiver has the event. After any other status, it is sent again.' } },
  };
}
