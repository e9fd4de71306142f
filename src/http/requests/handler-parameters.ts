import type { ArgumentMetadata } from '@nestjs/common';
import { PARAMTYPES_METADATA, RESPONSE_PASSTHROUGH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';

/** A parameter of a controller's method with a decorator such as `@Query()`. */
interface HandlerParameter {
  readonly type: RouteParamtypes;
  /** Position among the parameters. */
  readonly index: number;
  /** What the decorator names of the query or the body; undefined where it gives the whole. */
  readonly data: unknown;
}

/** Nest decorates methods after their parameters, so a decorator of a method can call it too. */
function handlerParameters(controller: Function, method: string | symbol): HandlerParameter[] {
  const declared: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method);
  const byKey = Object.entries((declared ?? {}) as Record<string, Pick<HandlerParameter, 'index' | 'data'>>);
  // Keys are the type and the index, as in `4:0`; those of custom decorators begin with a name.
  return byKey.map(([key, { index, data }]) => ({ type: Number(key.split(':')[0]), index, data }));
}

export function takesQuery(controller: Function, method: string | symbol): boolean {
  return takes(controller, method, RouteParamtypes.QUERY);
}

export function takesBody(controller: Function, method: string | symbol): boolean {
  return takes(controller, method, RouteParamtypes.BODY);
}

/** Whether the method sends the response itself, with `@Res()` or `@Next()`, rather than return it. */
export function sendsResponse(controller: Function, method: string | symbol): boolean {
  const isHandedOver = takes(controller, method, RouteParamtypes.RESPONSE, RouteParamtypes.NEXT);
  return isHandedOver && Reflect.getMetadata(RESPONSE_PASSTHROUGH_METADATA, controller, method) !== true;
}

/** Declared types of the parameters with the whole query or body. */
export function parameterTypes(
  controller: Function,
  method: string | symbol,
  place: 'query' | 'body',
): ArgumentMetadata['metatype'][] {
  const wanted = place === 'query' ? RouteParamtypes.QUERY : RouteParamtypes.BODY;
  const prototype = controller.prototype as object;
  const types = Reflect.getMetadata(PARAMTYPES_METADATA, prototype, method) as ArgumentMetadata['metatype'][];
  return handlerParameters(controller, method).flatMap(({ type, index, data }) =>
    type === wanted && data === undefined ? [types[index]] : [],
  );
}

function takes(controller: Function, method: string | symbol, ...wanted: readonly RouteParamtypes[]): boolean {
  return handlerParameters(controller, method).some(({ type }) => wanted.includes(type));
}
