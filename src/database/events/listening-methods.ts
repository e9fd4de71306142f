import type { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { refuseFaults } from '../../platform/errors/extension-error.js';

export interface ListeningMethod<Metadata> {
  /** Such as `Ledger.record`. */
  readonly name: string;
  readonly metadata: Metadata;
  readonly call: (...args: readonly unknown[]) => unknown;
}

/**
 * The methods of providers and controllers that a decorator marks, which sets one metadata or a list of them.
 * @throws ExtensionError if a provider has no instance that could be called
 */
export function listeningMethods<Metadata>(
  discovery: DiscoveryService,
  scanner: MetadataScanner,
  key: string,
): ListeningMethod<Metadata>[] {
  const found: ListeningMethod<Metadata>[] = [];
  for (const wrapper of [...discovery.getProviders(), ...discovery.getControllers()]) {
    const instance: unknown = wrapper.instance;
    if (typeof instance !== 'object' || instance === null || wrapper.isAlias) continue;
    for (const name of scanner.getAllMethodNames(Object.getPrototypeOf(instance) as object)) {
      const method: unknown = Reflect.get(instance, name);
      const metadata: unknown = typeof method === 'function' ? Reflect.getMetadata(key, method) : undefined;
      if (typeof method !== 'function' || metadata === undefined) continue;
      if (wrapper.isTransient || !wrapper.isDependencyTreeStatic())
        refuseFaults([`${wrapper.name} listens to events with ${name}, so it must have the default scope.`]);
      for (const one of [metadata].flat() as Metadata[])
        found.push({
          name: `${wrapper.name}.${name}`,
          metadata: one,
          call: (...args) => Reflect.apply(method, instance, args) as unknown,
        });
    }
  }
  return found;
}
