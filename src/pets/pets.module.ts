import { Module } from '@nestjs/common';
import { EventsModule, RedisModule } from '../kernel.js';
import { CatalogueVersion } from './cache/catalogue-version.js';
import { PetInsertBatcher } from './cache/pet-insert-batcher.js';
import { PetResponseCache } from './cache/pet-response-cache.js';
import { PetsController } from './pets.controller.js';
import { PetsRepository } from './pets.repository.js';
import { PetsService } from './pets.service.js';

@Module({
  imports: [EventsModule, RedisModule],
  controllers: [PetsController],
  providers: [PetsService, PetsRepository, CatalogueVersion, PetResponseCache, PetInsertBatcher],
  exports: [PetsService],
})
export class PetsModule {}
