import { type DynamicModule, Module } from '@nestjs/common';
import { ApiKeysModule, KnownScopes } from '../api-keys/index.js';
import { RateLimitModule } from '../rate-limit/index.js';
import { AccountKeysService } from './account-keys.service.js';
import { KeysController } from './keys.controller.js';

/** API keys over HTTP. */
@Module({
  imports: [ApiKeysModule, RateLimitModule],
  controllers: [KeysController],
  providers: [AccountKeysService],
})
export class KeyManagementModule {
  /** @param scopes that keys can be given */
  static of(scopes: readonly string[]): DynamicModule {
    return {
      module: KeyManagementModule,
      providers: [{ provide: KnownScopes, useValue: new KnownScopes(scopes) }],
      exports: [KnownScopes],
    };
  }
}
