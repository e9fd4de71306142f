import { applyDecorators, SetMetadata, UseInterceptors } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import { type Deprecation, DEPRECATION, notice } from './deprecation.js';
import { DeprecationInterceptor } from './deprecation.interceptor.js';

/**
 * Declares an operation deprecated, once for headers, removal and documentation: every admitted answer carries
 * Deprecation, Sunset and Link, from the sunset on it is 410 `operation_removed`, and the OpenAPI document marks the
 * operation until then.
 */
export function Deprecated(deprecation: Deprecation): MethodDecorator {
  return applyDecorators(
    SetMetadata(DEPRECATION, notice(deprecation)),
    // Bound here, not globally: an interceptor on every route, even an idle one, costs a third of the throughput.
    UseInterceptors(DeprecationInterceptor),
    ApiExtension('x-sunset', deprecation.sunset),
    ApiExtension('x-deprecation-advice', deprecation.advice),
  );
}
