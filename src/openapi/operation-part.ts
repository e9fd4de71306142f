import { SetMetadata } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { ErrorDeclaration } from './documented-error.js';

/** What a parameter of a handler brings along for the operation. */
export interface OperationPart {
  /** Errors that reading the parameter, or what it stands for, can end in. */
  readonly errors?: readonly ErrorDeclaration[];
  /**
   * Reads a header that the parameter stands for.
   * @throws ValidationFailedError if it is malformed
   */
  readonly check?: (request: FastifyRequest) => unknown;
}

const PARTS = 'petstore:operation-parts';

/**
 * For the decorator of a parameter: has the operation's documentation say what the parameter brings along.
 * @param decorators of the method, to be applied with it
 */
export function operationPart(part: OperationPart, ...decorators: MethodDecorator[]): ParameterDecorator {
  return (target, name) => {
    const descriptor = name === undefined ? undefined : Object.getOwnPropertyDescriptor(target, name);
    if (name === undefined || descriptor === undefined) return;
    const parts = partsOf(descriptor.value as Function);
    for (const decorate of [SetMetadata(PARTS, [...parts, part]), ...decorators]) decorate(target, name, descriptor);
  };
}

/** The parts of a handler's parameters, once these are decorated; methods are decorated after their parameters. */
export function partsOf(handler: Function): readonly OperationPart[] {
  return (Reflect.getMetadata(PARTS, handler) as OperationPart[] | undefined) ?? [];
}
