import { type ArgumentMetadata, Injectable } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { FastifyRequest } from 'fastify';
import { RequestFaults, ValidationFailedError } from '../errors/index.js';
import { idempotentRequest } from '../idempotency/index.js';
import { partsOf } from '../openapi/index.js';
import { RequestValidationPipe } from './request-validation.pipe.js';

const PARAM_TYPES = { query: RouteParamtypes.QUERY, body: RouteParamtypes.BODY } as const;

type Place = keyof typeof PARAM_TYPES;

/** What Nest keeps of a parameter, by its type and index. */
type Parameters = Readonly<Record<string, { readonly index: number; readonly data?: unknown }>>;

/** Finds the faults of query, headers and body, in this order, by validating them again. */
@Injectable()
export class AllRequestFaults extends RequestFaults {
  private readonly pipe = new RequestValidationPipe();

  override find(request: FastifyRequest, error: ValidationFailedError): readonly string[] {
    const { controller, method } = request.routeOptions.config.handler ?? {};
    if (controller === undefined || method === undefined) return error.faults;
    const validate = (place: Place) =>
      typesOf(place, controller, method).flatMap((metatype) =>
        faultsOf(() => this.pipe.transform(request[place], { type: place, metatype })),
      );
    const handler: unknown = Reflect.get(controller, method);
    const parts = typeof handler === 'function' ? partsOf(handler) : [];
    const found = [
      ...validate('query'),
      ...parts.flatMap(({ check }) => faultsOf(() => check?.(request))),
      ...(request.method === 'POST' ? faultsOf(() => idempotentRequest(request)) : []),
      // Not twice: a body can have thousands of faults.
      ...(error.isOfBody ? error.faults : validate('body')),
    ];
    return [...error.faults.filter((fault) => !found.includes(fault)), ...found];
  }
}

/** Types of the parameters with a whole query or body. */
function typesOf(place: Place, controller: object, method: string | symbol): ArgumentMetadata['metatype'][] {
  const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller.constructor, method) as Parameters | undefined;
  const types = Reflect.getMetadata('design:paramtypes', controller, method) as ArgumentMetadata['metatype'][];
  return Object.entries(parameters ?? {}).flatMap(([key, { index, data }]) =>
    key.startsWith(`${PARAM_TYPES[place]}:`) && data === undefined ? [types[index]] : [],
  );
}

function faultsOf(validate: () => unknown): readonly string[] {
  try {
    validate();
    return [];
  } catch (error) {
    return error instanceof ValidationFailedError ? error.faults : [];
  }
}
