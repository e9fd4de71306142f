import { Module } from '@nestjs/common';
import { PetCache } from './pet-cache.js';
import { PetsController } from './pets.controller.js';
import { PetsService } from './pets.service.js';

/** The catalogue: list, add and fetch pets. */
@Module({ controllers: [PetsController], providers: [PetCache, PetsService], exports: [PetsService] })
export class PetsModule {}
