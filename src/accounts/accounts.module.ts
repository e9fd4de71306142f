import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { KnownScopes } from '../auth/keys/scopes.js';
import { EventsModule } from '../database/events/events.js';
import { RateLimitModule } from '../rate-limit/rate-limit.module.js';
import { AccountsService } from './accounts.service.js';
import { KeysController } from './keys/keys.controller.js';
import { KeysService } from './keys/keys.service.js';
import { Retention } from './retention.js';
import { UsageController } from './usage/usage.controller.js';

/** Accounts with their keys and usage: over HTTP, and for operators. */
@Module({
  imports: [AuthModule, EventsModule, RateLimitModule],
  controllers: [UsageController, KeysController],
  providers: [AccountsService, KeysService, KnownScopes, Retention],
  exports: [KeysService],
})
export class AccountsModule {}
