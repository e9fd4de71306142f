import { Module } from '@nestjs/common';
import { AccountKeysService } from './account-keys.service.js';
import { KeyChangesPoller } from './key-changes.poller.js';
import { KeyVerifier } from './key-verifier.js';
import { KeysService } from './keys.service.js';
import { LastUse } from './last-use.js';

/**
 * Accounts, their plans and API keys, and who may call what. Needs ConfigModule, and DatabaseModule with
 * ACCOUNT_ENTITIES. Not global, since global modules are shut down last: last uses are written before the database goes.
 */
@Module({
  providers: [AccountKeysService, KeyChangesPoller, KeysService, KeyVerifier, LastUse],
  exports: [AccountKeysService, KeysService, KeyVerifier],
})
export class AuthModule {}
