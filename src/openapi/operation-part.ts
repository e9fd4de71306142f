import { SetMetadata } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { ErrorDeclaration } from './documented-error.js';

/** What a parameter of a handler adds to the operation. */
export interface OperationPart {
  /** Errors of reading the parameter or its header. */
  readonly errors?: readonly ErrorDeclaration[];
  /**
   * Reads the header of the parameter.
   * @throws ValidationFailedError if it is malformed
   */
  readonly check?: (request: FastifyRequest) => unknown;
}

const PARTS = 'petstore:operation-parts';

/**
 * For parameter decorators: adds a part to the documentation of the operation.
 * @param decorators of the method, which are applied too
 */
export function operationPart(part: OperationPart, ...decorators: MethodDecorator[]): ParameterDecorator {
  return (target, name) => {
    const descriptor = name === undefined ? undefined : Object.getOwnPropertyDescriptor(target, name);
    if (name === undefined || descriptor === undefined) return;
    const parts = partsOf(descriptor.value as Function);
    for (const decorate of [SetMetadata(PARTS, [...parts, part]), ...decorators]) decorate(target, name, descriptor);
  };
}

/** The parts of a handler's parameters. Parameters are decorated before their method. */
export function partsOf(handler: Function): readonly OperationPart[] {
  return (Reflect.getMetadata(PARTS, handler) as OperationPart[] | undefined) ?? [];
}
