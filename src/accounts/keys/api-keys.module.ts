import { Module } from '@nestjs/common';
import { EventsModule } from '../../database/events/events.js';
import { AdminKeysService } from './admin-keys.service.js';
import { StoredKeysModule } from '../../auth/keys/key-changes.js';

/** Issues, changes and lists API keys. Requires ConfigModule, and DatabaseModule with the entities of accounts and keys. */
@Module({
  imports: [EventsModule, StoredKeysModule],
  providers: [AdminKeysService],
  exports: [AdminKeysService, StoredKeysModule],
})
export class ApiKeysModule {}
