import { DiscoveryModule, DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { getOptionsToken, ThrottlerModule, type ThrottlerOptions } from '@nestjs/throttler';

/** The limit of a route without `@Throttle()`. */
export const NO_LIMIT = Number.POSITIVE_INFINITY;

/** Prefixes of the metadata of `@Throttle()`, followed by the name of the throttler. The package does not export them. */
const LIMIT = 'THROTTLER:LIMIT';
const TTL = 'THROTTLER:TTL';
const BLOCK_DURATION = 'THROTTLER:BLOCK_DURATION';

/** Names of the throttlers in `@Throttle()` of a controller or a handler. */
export function throttlerNames(target: Function): string[] {
  const keys: unknown[] = Reflect.getMetadataKeys(target);
  return keys
    .filter((key) => typeof key === 'string')
    .filter((key) => key.startsWith(LIMIT))
    .map((key) => key.slice(LIMIT.length));
}

/**
 * One throttler for each name that a `@Throttle()` of the application uses, so that all of them are enforced. Routes that do
 * not declare a limit have none.
 * @throws Error if a limit cannot be enforced
 */
function discoverThrottlers(discovery: DiscoveryService, reflector: Reflector): ThrottlerOptions[] {
  if (discovery.getProviders().filter(({ token }) => token === getOptionsToken()).length > 1) {
    throw new Error(
      'The service imports ThrottlerModule already. Remove your import, and declare limits with @Throttle().',
    );
  }
  const names = new Set(['default']);
  const scanner = new MetadataScanner();
  for (const { metatype } of discovery.getControllers()) {
    if (typeof metatype !== 'function') continue;
    const prototype: Record<string, Function> = metatype.prototype;
    for (const method of scanner.getAllMethodNames(prototype)) {
      const targets = [prototype[method], metatype].filter((target) => target !== undefined);
      for (const name of targets.flatMap(throttlerNames)) {
        const value = (key: string) => reflector.getAllAndOverride<unknown>(key + name, targets);
        const where = `@Throttle() of ${metatype.name}.${method}`;
        if (value(LIMIT) === undefined || value(TTL) === undefined) throw new Error(`${where} needs limit and ttl.`);
        if (value(BLOCK_DURATION) !== undefined) throw new Error(`${where} has blockDuration, which is not supported.`);
        names.add(name);
      }
    }
  }
  return [...names].map((name) => ({ name, limit: NO_LIMIT, ttl: 0 }));
}

/** The throttlers of all routes, including those of extensions. */
export const DISCOVERED_THROTTLERS = ThrottlerModule.forRootAsync({
  imports: [DiscoveryModule],
  inject: [DiscoveryService, Reflector],
  useFactory: discoverThrottlers,
});
