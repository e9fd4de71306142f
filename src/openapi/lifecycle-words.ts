import type { OperationObject, ResponseObject } from '@nestjs/swagger';
import type { Stability } from '../lifecycle/index.js';
import { type HeaderName, headerReferences, optionalHeaders } from './headers.js';

/** An operation with the extensions that its lifecycle decorators gave it. */
export interface LivingOperation extends OperationObject {
  'x-stability'?: Stability;
  /** Removal date, `YYYY-MM-DD`. */
  'x-sunset'?: string;
  'x-deprecation-advice'?: string;
}

const STABILITY_WORDS: Readonly<Record<Stability, string>> = {
  stable: '**Stable.** Changes are compatible.',
  beta: '**Beta.** Changes are announced, but may break clients.',
  experimental: '**Experimental.** May change or go at any time.',
};

const DEPRECATION_HEADERS: readonly HeaderName[] = ['Deprecation', 'Sunset', 'DeprecationLink'];

/** Says an operation's stability and deprecation where Swagger UI shows it, and in the terms of OpenAPI. */
export function describeLifecycle(operation: LivingOperation): void {
  const { 'x-stability': stability, 'x-sunset': sunset, 'x-deprecation-advice': advice } = operation;
  const words: string[] = [];
  if (sunset !== undefined) {
    operation.deprecated = true;
    operation.summary = `${operation.summary ?? ''} (deprecated, removal on ${sunset})`;
    words.push(`**Deprecated.** Will be removed on ${sunset}. ${advice ?? ''}`);
    delete operation['x-deprecation-advice'];
    announceOnAdmittedResponses(operation);
  }
  if (stability !== undefined) {
    words.push(STABILITY_WORDS[stability]);
    if (stability !== 'stable') operation.summary = `${operation.summary ?? ''} (${stability})`;
  }
  operation.description = [...words, operation.description].filter((part) => part !== undefined).join('\n\n');
}

/**
 * 401 and 429 are the answers of admission, before it is known which operation is meant; 503 can be one, where the
 * database is needed to know the key.
 */
function announceOnAdmittedResponses({ responses }: LivingOperation): void {
  for (const [status, response] of Object.entries(responses) as [string, ResponseObject][]) {
    if (status === '401' || status === '429') continue;
    const headers = status === '503' ? optionalHeaders(DEPRECATION_HEADERS) : headerReferences(DEPRECATION_HEADERS);
    response.headers = { ...response.headers, ...headers };
  }
}
