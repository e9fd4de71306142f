import type { Abstract, ClassProvider, FactoryProvider, Type, ValueProvider } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';

/** A provider that replaces one of the service. A class gets its dependencies from the module of the provider it replaces. */
export type Override<T = unknown> = ClassProvider<T> | ValueProvider<T>;

/** All overrides of this application. */
export class Overrides {
  constructor(private readonly all: readonly Override[] = []) {}

  find<T>(token: Abstract<T> | Type<T>): Override<T> | undefined {
    return this.all.find((override): override is Override<T> => override.provide === token);
  }
}

/** A provider that an override can replace. */
export function replaceable<T>(
  own: Type<T> | (FactoryProvider<T> & { provide: Abstract<T> | Type<T> }),
): FactoryProvider {
  const token = typeof own === 'function' ? own : own.provide;
  return {
    provide: token,
    inject: [Overrides, ModuleRef, ...(typeof own === 'function' ? [] : (own.inject ?? []))],
    useFactory: (overrides: Overrides, modules: ModuleRef, ...injected: unknown[]) => {
      const override = overrides.find(token);
      if (override === undefined) return typeof own === 'function' ? modules.create(own) : own.useFactory(...injected);
      return 'useValue' in override ? override.useValue : modules.create(override.useClass);
    },
  };
}
