import type { DynamicModule, Type } from '@nestjs/common';
import type { Configurable } from '../config/index.js';
import type { DatabaseParts } from '../database/index.js';
import type { OwnErrorCode } from '../errors/index.js';
import type { HealthIndicator } from '../health/index.js';

/** The parts that an extension adds to the service. */
export interface Extension extends Partial<DatabaseParts>, Configurable {
  readonly module: Type | DynamicModule;
  /** Scopes that keys can have, in addition to those of operations. */
  readonly scopes?: readonly string[];
  /** Providers that the readiness check calls. */
  readonly healthIndicators?: readonly Type<HealthIndicator>[];
  /** Error codes that no operation lists, such as those of a guard. */
  readonly errorCodes?: readonly OwnErrorCode[];
  /** Paths outside `/v1`, such as `hooks/payments`. Their routes are `@Public()` and use no quota. */
  readonly prefixExclusions?: readonly string[];
}
