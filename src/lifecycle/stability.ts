import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';

/**
 * What clients can rely on: `stable` operations change only compatibly, `beta` ones with notice, `experimental` ones at
 * any time (specification, section 9).
 */
export const STABILITIES = ['stable', 'beta', 'experimental'] as const;

export type Stability = (typeof STABILITIES)[number];

const STABILITY = 'petstore:stability';

/** Marks the stability of an operation; `x-stability` in the OpenAPI document. */
export function StabilityMarker(stability: Stability): MethodDecorator {
  return applyDecorators(SetMetadata(STABILITY, stability), ApiExtension('x-stability', stability));
}

/** The stability of a route handler. */
export function stabilityOf(handler: Function): Stability | undefined {
  return Reflect.getMetadata(STABILITY, handler) as Stability | undefined;
}
