import type { OpenAPIObject } from '@nestjs/swagger';
import { IDEMPOTENCY_KEY_PARAMETER } from '../idempotency/index.js';
import { IDEMPOTENCY_ERRORS } from './common-errors.js';
import { documentedError } from './documented-error.js';
import type { ScannedOperation } from './finished-operation.js';

/** Documents on every POST that it accepts an Idempotency-Key, which needs no declaration. */
export function acceptIdempotencyKeys(paths: OpenAPIObject['paths']): void {
  for (const { post } of Object.values(paths) as { post?: ScannedOperation }[]) {
    if (post === undefined) continue;
    post.parameters = [...(post.parameters ?? []), IDEMPOTENCY_KEY_PARAMETER];
    post['x-errors'] = [...(post['x-errors'] ?? []), ...IDEMPOTENCY_ERRORS.map(documentedError)];
  }
}
