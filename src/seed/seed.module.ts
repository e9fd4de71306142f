import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/index.js';
import { PetsModule } from '../pets/index.js';
import { SeedService } from './seed.service.js';

/** Sample data for the first start with the embedded database. */
@Module({ imports: [PetsModule, ApiKeysModule], providers: [SeedService] })
export class SeedModule {}
