import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import { requestOf } from '../requests/request.js';
import { COMMON_HEADERS, type HeaderName, headerReferences } from '../response-headers.js';
import { documentParameter } from '../requests/handler-metadata.js';
import { notCurrent, Precondition } from './precondition.js';

/** Node takes no more bytes of headers. A malformed list names no ETag, and is not refused. */
const schema = {
  type: 'string',
  maxLength: 16_384,
  pattern: '^[\\t -~\\u0080-\\u00ff]*$',
  example: '"nBd0J5nWlMGkLhEPUvh3Yw"',
} as const;

/**
 * Documents that an operation which responds through `sendWithEtag` accepts If-None-Match and may return 304.
 * @param headers of its success that a 304 has too
 */
export function Revalidates(...headers: HeaderName[]): MethodDecorator {
  return applyDecorators(
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
  const document = ApiHeader({
    name: 'If-Match',
    required: false,
    description: 'ETags, or `*`. If none of them is current, nothing changes and the response is 412.',
    schema,
  });
  return createParamDecorator(read, [documentParameter(document, [notCurrent()])])();
}
