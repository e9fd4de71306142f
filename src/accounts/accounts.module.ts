import { Module } from '@nestjs/common';
import { ApiKeysModule } from './keys/api-keys.module.js';
import { KnownScopes } from '../auth/keys/scopes.js';
import { RateLimitModule } from '../rate-limit/rate-limit.module.js';
import { AccountKeysService } from './keys/account-keys.service.js';
import { KeysController } from './keys/keys.controller.js';
import { UsageController } from './usage/usage.controller.js';

/** API keys over HTTP, and the caller's usage. */
@Module({
  imports: [ApiKeysModule, RateLimitModule],
  controllers: [UsageController, KeysController],
  providers: [AccountKeysService, KnownScopes],
})
export class SelfServiceModule {}
