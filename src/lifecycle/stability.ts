import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';

/**
 * What clients may rely on: `stable` operations change compatibly only, `beta` ones with notice,
 * `experimental` ones at any time (specification, section 9).
 */
export const STABILITIES = ['stable', 'beta', 'experimental'] as const;

export type Stability = (typeof STABILITIES)[number];

const STABILITY = 'petstore:stability';

/** Marks an operation, for the OpenAPI document as `x-stability`. */
export function StabilityMarker(stability: Stability): MethodDecorator {
  return applyDecorators(SetMetadata(STABILITY, stability), ApiExtension('x-stability', stability));
}

/** The marker of a route handler. */
export function stabilityOf(handler: Function): Stability | undefined {
  return Reflect.getMetadata(STABILITY, handler) as Stability | undefined;
}
