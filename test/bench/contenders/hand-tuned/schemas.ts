const int64 = { type: 'integer', minimum: 1 } as const;
const name = { type: 'string', minLength: 1, maxLength: 255 } as const;
const categoryId = { type: 'integer' } as const;
const status = { type: 'string', enum: ['available', 'pending', 'sold'] } as const;

const pet = {
  type: 'object',
  required: ['id', 'name', 'categoryId'],
  properties: { id: int64, name, categoryId, status },
} as const;

/** Fastify compiles these schemas into request validators and response serializers. */
export const LIST = {
  querystring: {
    type: 'object',
    additionalProperties: false,
    properties: { limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 }, status, after: int64 },
  },
  response: { 200: { type: 'array', items: pet } },
} as const;

export const GET = {
  params: { type: 'object', required: ['petId'], properties: { petId: int64 } },
  response: { 200: pet },
} as const;

export const CREATE = {
  body: {
    type: 'object',
    required: ['name', 'categoryId'],
    additionalProperties: false,
    properties: { name, categoryId, status },
  },
  response: { 201: pet },
} as const;
