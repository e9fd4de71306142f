import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../idempotency/index.js';
import { RedisModule } from '../redis/index.js';
import { CatalogueVersion } from './catalogue-version.js';
import { PetAnswers } from './pet-answers.js';
import { PetCreation } from './pet-creation.js';
import { PetReading } from './pet-reading.js';
import { PetsController } from './pets.controller.js';
import { PetsService } from './pets.service.js';

/** The catalogue: list, add and fetch pets. */
@Module({
  imports: [IdempotencyModule, RedisModule],
  controllers: [PetsController],
  providers: [CatalogueVersion, PetsService, PetAnswers, PetCreation, PetReading],
  exports: [PetsService],
})
export class PetsModule {}
