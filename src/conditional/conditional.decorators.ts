import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import { requestOf } from '../http/index.js';
import { COMMON_HEADERS, type HeaderName, headerReferences, operationPart } from '../openapi/index.js';
import { Precondition } from './precondition.js';

const SCHEMA = { type: 'string', example: '"nBd0J5nWlMGkLhEPUvh3Yw"' } as const;

/**
 * Documents that an operation which answers through `answerWithEtag` takes If-None-Match and may answer 304.
 * @param headers those of its success that a 304 has too
 */
export function Revalidates(...headers: HeaderName[]): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'If-None-Match',
      required: false,
      description: 'ETags of answers that the client has, or `*`: where the answer would have one of them, it is 304 without a body.',
      schema: SCHEMA,
    }),
    ApiResponse({
      status: 304,
      description: 'The client has this answer already: If-None-Match names its ETag.',
      headers: headerReferences([...COMMON_HEADERS, 'ETag', ...headers]),
    }),
  );
}

/** Hands a handler the precondition of the request, and documents If-Match. */
export function IfMatch(): ParameterDecorator {
  const document = ApiHeader({
    name: 'If-Match',
    required: false,
    description: 'ETags, or `*`: the change is made only where one of them is the current one, else the answer is 412.',
    schema: SCHEMA,
  });
  return createParamDecorator(readPrecondition, [operationPart({ errors: ['precondition_failed'] }, document)])();
}

function readPrecondition(_: unknown, context: ExecutionContext): Precondition {
  return new Precondition(requestOf(context).headers);
}
