import type { SchemaObject } from '@nestjs/swagger';
import { ERROR_CODES, MAX_MESSAGE_LENGTH } from '../../errors/index.js';

const MAX_CODE_LENGTH = 64;

/**
 * The schemas of Error (specification, section 2) and of its codes.
 * @param codes of the documented errors, including those of extensions
 */
export function errorSchemas(codes: Iterable<string>): Record<'Error' | 'KnownErrorCode', SchemaObject> {
  return {
    KnownErrorCode: {
      type: 'string',
      description: 'The known error codes.',
      enum: [...new Set([...Object.keys(ERROR_CODES), ...codes])],
    },
    Error: {
      type: 'object',
      description: 'The body of every error response.',
      properties: {
        code: {
          description: 'Machine-readable error code. New codes can be added.',
          anyOf: [
            { $ref: '#/components/schemas/KnownErrorCode' },
            { type: 'string', maxLength: MAX_CODE_LENGTH, pattern: '^[a-z]+(_[a-z]+)*$' },
          ],
          examples: ['validation_failed'],
        },
        message: {
          type: 'string',
          maxLength: MAX_MESSAGE_LENGTH,
          pattern: '\\S',
          description: 'Human-readable description.',
          examples: ['limit must be an integer from 1 to 100.'],
        },
        status: {
          type: 'integer',
          format: 'int32',
          minimum: 400,
          maximum: 599,
          description: 'The HTTP status code.',
          examples: [400],
        },
      },
      required: ['code', 'message', 'status'],
    },
  };
}
