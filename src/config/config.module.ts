import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Clock } from './clock.js';
import { Env } from './env.js';
import { type Override, Overrides, replaceable } from './overrides.js';

/** Provides the validated settings, including those of extensions, and the clock. */
@Global()
@Module({})
export class ConfigModule {
  static of(env: Env, clock: Clock, overrides: readonly Override[] = []): DynamicModule {
    const settings = [...(env.ofExtensions ?? [])].map(([type, value]) => ({ provide: type, useValue: value }));
    const providers = [
      { provide: Env, useValue: env },
      replaceable({ provide: Clock, useFactory: () => clock }),
      { provide: Overrides, useValue: new Overrides(overrides) },
      ...settings,
    ];
    return { module: ConfigModule, providers, exports: providers.map(({ provide }) => provide) };
  }
}
