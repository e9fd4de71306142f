import { Res, type Type } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

type Parameter = readonly [decorator: ParameterDecorator, type: unknown];

/** What a method of a controller does, and what it gets. */
interface Work {
  readonly call: (...values: never[]) => unknown;
  readonly parameters: readonly Parameter[];
}

/** Decorators of a method, in their usual order, and last what it does: nothing by default. */
export type Handler = readonly [...MethodDecorator[], MethodDecorator | Work];

/** Returns a value, for which Nest sends the response. */
export const returning = (call: (reply: FastifyReply) => unknown): Work => ({
  call,
  parameters: [[Res({ passthrough: true }), Object]],
});

/** Sends the response itself. */
export const sending = (call: (reply: FastifyReply) => unknown): Work => ({ call, parameters: [[Res(), Object]] });

export const throwing = (error: () => unknown): Work => ({
  call: () => {
    throw error();
  },
  parameters: [],
});

/** Returns what a function makes of its parameters. */
export const mapping = (call: Work['call'], ...parameters: Parameter[]): Work => ({ call, parameters });

/** Does nothing with its parameters. */
export const taking = (...parameters: Parameter[]): Work => mapping(() => undefined, ...parameters);

const NOTHING = taking();

/** Adds methods to a controller whose methods are too small for more than a line each. */
export function addHandlers({ prototype }: Type, handlers: Readonly<Record<string, Handler>>): void {
  for (const [name, handler] of Object.entries(handlers)) {
    const decorators = handler.filter((member) => typeof member === 'function');
    const { call, parameters } = handler.find((member) => typeof member === 'object') ?? NOTHING;
    // Decorators keep what they say with the function, whose name counts too.
    const { [name]: value } = { [name]: (...values: never[]) => call(...values) };
    Object.defineProperty(prototype, name, { value, configurable: true, writable: true });
    for (const [index, [decorate]] of parameters.entries()) decorate(prototype, name, index);
    Reflect.defineMetadata(
      'design:paramtypes',
      parameters.map(([, type]) => type),
      prototype,
      name,
    );
    Reflect.decorate(decorators, prototype, name, Object.getOwnPropertyDescriptor(prototype, name));
  }
}
