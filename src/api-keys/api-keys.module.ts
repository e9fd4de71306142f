import { Module } from '@nestjs/common';
import { EventsModule } from '../events/index.js';
import { AdminKeysService } from './admin-keys.service.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { KeyChangeNotifier } from './key-change-notifier.js';
import { KeyOperations } from './key-operations.js';

const PROVIDERS = [AdminKeysService, ApiKeysRepository, KeyChangeNotifier, KeyOperations];

/** Issues, changes and lists API keys. Requires ConfigModule, and DatabaseModule with the entities of accounts and keys. */
@Module({ imports: [EventsModule], providers: PROVIDERS, exports: PROVIDERS })
export class ApiKeysModule {}
