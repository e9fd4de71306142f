import { Module } from '@nestjs/common';
import { KeyChangesPoller } from './authentication/key-changes.poller.js';
import { KeyVerifier } from './authentication/key-verifier.js';
import { LastUsedTracker } from './authentication/last-used-tracker.js';
import { BearerGuard } from './bearer.guard.js';
import { ActiveKeys } from './keys/active-keys.js';
import { ApiKeysRepository, KeyChanges } from './keys/api-keys.repository.js';

/**
 * Authentication and scopes. The module is not global, because global modules are shut down last, and last uses must be
 * written before the database is closed.
 */
@Module({
  providers: [ActiveKeys, ApiKeysRepository, BearerGuard, KeyChanges, KeyChangesPoller, KeyVerifier, LastUsedTracker],
  exports: [ActiveKeys, ApiKeysRepository, BearerGuard, KeyChanges, KeyVerifier],
})
export class AuthModule {}
