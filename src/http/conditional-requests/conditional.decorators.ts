import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import { requestOf } from '../requests/request.js';
import { COMMON_HEADERS, type HeaderName, headerReferences } from '../response-headers.js';
import { documentParameter } from '../requests/handler-metadata.js';
import { MAX_ETAGS_LENGTH, notCurrent, Precondition } from './conditional-responses.js';

/** A malformed list names no ETag, and is not refused. */
const schema = {
  type: 'string',
  maxLength: MAX_ETAGS_LENGTH,
  pattern: '^[\\t -~\\u0080-\\u00ff]*$',
  example: '"nBd0J5nWlMGkLhEPUvh3Yw"',
} as const;

const IF_MATCH = documentParameter(
  ApiHeader({
    name: 'If-Match',
    required: false,
    description: 'ETags, or `*`. If none of them is current, nothing changes and the response is 412.',
    schema,
  }),
  [notCurrent()],
);

/**
 * Documents that an operation which responds through `sendWithEtag` accepts If-Match and If-None-Match, and
 * may return 412 and 304. Put it below `@Operation()`.
 * @param headers of its success that a 304 has too
 */
export function Revalidates(...headers: HeaderName[]): MethodDecorator {
  return applyDecorators(
    (target: object, name: string | symbol) => IF_MATCH(target, name, 0),
    ApiHeader({
      name: 'If-None-Match',
      required: false,
      description: 'ETags of cached responses, or `*`. If one of them is current, the response is 304 without a body.',
      schema,
    }),
    ApiResponse({
      status: 304,
      description: 'If-None-Match names the current ETag.',
      headers: headerReferences([...COMMON_HEADERS, 'ETag', ...headers]),
    }),
  );
}

const read = (_: unknown, context: ExecutionContext) => new Precondition(requestOf(context).headers);

/** Injects the precondition of the request, and documents If-Match. */
export function IfMatch(): ParameterDecorator {
  return createParamDecorator(read, [IF_MATCH])();
}
