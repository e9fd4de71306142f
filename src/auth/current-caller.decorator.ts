import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { requestOf } from '../http/index.js';
import type { Caller } from './caller.js';

/** The Caller of the request, as a parameter of a route handler; undefined only on routes that are public. */
export const CurrentCaller = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Caller | undefined => requestOf(context).caller,
);
