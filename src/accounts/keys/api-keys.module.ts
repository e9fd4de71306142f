import { Module } from '@nestjs/common';
import { EventsModule } from '../../database/index.js';
import { AdminKeysService } from './admin-keys.service.js';
import { ApiKeysRepository } from './api-keys.repository.js';

const PROVIDERS = [AdminKeysService, ApiKeysRepository];

/** Issues, changes and lists API keys. Requires ConfigModule, and DatabaseModule with the entities of accounts and keys. */
@Module({ imports: [EventsModule], providers: PROVIDERS, exports: PROVIDERS })
export class ApiKeysModule {}
