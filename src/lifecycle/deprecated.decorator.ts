import { applyDecorators } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import { RouteFact } from '../http/index.js';
import { type Deprecation, notice } from './deprecation.js';

/**
 * Declares an operation deprecated, once for headers, removal and documentation: every admitted answer carries
 * Deprecation, Sunset and Link, from the sunset on it is 410 `operation_removed`, and the OpenAPI document marks the
 * operation until then.
 */
export function Deprecated(deprecation: Deprecation): MethodDecorator {
  return applyDecorators(
    RouteFact({ deprecation: notice(deprecation) }),
    ApiExtension('x-sunset', deprecation.sunset),
    ApiExtension('x-deprecation-advice', deprecation.advice),
  );
}
