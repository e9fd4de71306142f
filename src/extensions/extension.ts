import type { DynamicModule, Type } from '@nestjs/common';
import type { Configurable } from '../config/index.js';
import type { DatabaseParts } from '../database/index.js';
import type { OwnErrorCode } from '../errors/index.js';
import type { HealthIndicator } from '../health/index.js';

/** What a team adds to the service without editing it. */
export interface Extension extends Partial<DatabaseParts>, Configurable {
  readonly module: Type | DynamicModule;
  /** Scopes that keys can have besides those that operations need. */
  readonly scopes?: readonly string[];
  /** Providers that readiness depends on. */
  readonly healthIndicators?: readonly Type<HealthIndicator>[];
  /** Codes of errors that no operation lists, such as those of a guard. */
  readonly errorCodes?: readonly OwnErrorCode[];
  /** Paths that are not below `/v1`, such as `hooks/payments`. Their routes are `@Public()`, and have no quota. */
  readonly prefixExclusions?: readonly string[];
}
