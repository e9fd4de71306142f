import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Clock } from './clock.js';
import { Env } from './env.js';

@Global()
@Module({})
export class ConfigModule {
  static forRoot(env: Env, clock: Clock): DynamicModule {
    const providers = [
      { provide: Env, useValue: env },
      { provide: Clock, useValue: clock },
    ];
    return { module: ConfigModule, providers, exports: [Env, Clock] };
  }
}
