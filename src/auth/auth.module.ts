import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/index.js';
import { replaceable } from '../config/index.js';
import { KeyChangesPoller } from './authentication/key-changes.poller.js';
import { KeyFilter } from './authentication/key-filter.js';
import { KeyVerifier } from './authentication/key-verifier.js';
import { LastUsedTracker } from './authentication/last-used-tracker.js';
import { BearerGuard } from './bearer.guard.js';

/**
 * Who calls, and what the key allows. Not global, since global modules are shut down last: last uses are written before the
 * database goes.
 */
@Module({
  imports: [ApiKeysModule],
  providers: [BearerGuard, KeyChangesPoller, KeyFilter, replaceable(KeyVerifier), LastUsedTracker],
  exports: [BearerGuard, KeyVerifier],
})
export class AuthModule {}
