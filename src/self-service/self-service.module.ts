import { Module } from '@nestjs/common';
import { ApiKeysModule, KnownScopes } from '../accounts/index.js';
import { RateLimitModule } from '../rate-limit/index.js';
import { AccountKeysService } from './account-keys.service.js';
import { KeysController } from './keys.controller.js';
import { UsageController } from './usage.controller.js';

/** API keys over HTTP, and the caller's usage. */
@Module({
  imports: [ApiKeysModule, RateLimitModule],
  controllers: [UsageController, KeysController],
  providers: [AccountKeysService, KnownScopes],
})
export class SelfServiceModule {}
