import { applyDecorators, SetMetadata, UseInterceptors } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import { DEPRECATION, type Deprecation } from './deprecation.js';
import { DeprecationInterceptor } from './deprecation.interceptor.js';

/**
 * Declares an operation deprecated. Every response after admission carries Deprecation, Sunset and Link, and the OpenAPI
 * document marks the operation. From the sunset on the response is 410 `operation_removed`.
 */
export function Deprecated(deprecation: Deprecation): MethodDecorator {
  return applyDecorators(
    SetMetadata(DEPRECATION, deprecation),
    UseInterceptors(DeprecationInterceptor),
    ApiExtension('x-sunset', deprecation.sunset),
    ApiExtension('x-deprecation-advice', deprecation.advice),
  );
}
