import { executionAsyncResource } from 'node:async_hooks';

const TICK = Symbol('petstore.tick');

/**
 * Keeps one of the objects that `process.nextTick` makes for its calls, for good. Node names properties of theirs with
 * symbols, in a literal; V8 learns what shape that gives. A collection while there is no such object, which any of an idle
 * service is, makes it forget the shape and never learn it again: a call takes five times as long from then on, a request a
 * tenth longer.
 */
export function keepTickShape(): void {
  process.nextTick(() => Object.assign(globalThis, { [TICK]: executionAsyncResource() }));
}
