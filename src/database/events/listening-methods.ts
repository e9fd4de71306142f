import { SetMetadata } from '@nestjs/common';
import type { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { refuseFaults } from '../../platform/errors/extension-error.js';

interface ListeningMethod<Metadata> {
  /** Such as `Ledger.record`. */
  readonly name: string;
  readonly metadata: Metadata;
  readonly call: (...args: readonly unknown[]) => unknown;
}

/** Marks a method for `listeningMethods`. Several decorators can mark one. */
export function markListening(key: string, metadata: object) {
  return (target: object, name: string | symbol, descriptor: PropertyDescriptor): void => {
    const others = (Reflect.getMetadata(key, descriptor.value as Function) ?? []) as readonly object[];
    SetMetadata(key, [metadata, ...others])(target, name, descriptor);
  };
}

/**
 * The methods of providers and controllers that decorators mark.
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
      if (typeof method !== 'function' || !Reflect.hasMetadata(key, method)) continue;
      if (wrapper.isTransient || !wrapper.isDependencyTreeStatic())
        refuseFaults([`${wrapper.name} listens to events with ${name}, so it must have the default scope.`]);
      const call = (...args: readonly unknown[]) => Reflect.apply(method, instance, args) as unknown;
      for (const metadata of Reflect.getMetadata(key, method) as Metadata[])
        found.push({ name: `${wrapper.name}.${name}`, metadata, call });
    }
  }
  return found;
}
