import { Module } from '@nestjs/common';
import { PetAnswers } from './pet-answers.js';
import { PetsController } from './pets.controller.js';
import { PetsService } from './pets.service.js';

/** The catalogue: list, add and fetch pets. */
@Module({ controllers: [PetsController], providers: [PetsService, PetAnswers], exports: [PetsService] })
export class PetsModule {}
