import { Controller, Delete, Get, Patch, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Answered, answerPage, answerWithEtag, IfMatch, Precondition, Revalidates } from '../conditional/index.js';
import { Env } from '../config/index.js';
import { publicAddress } from '../http/index.js';
import { type Attempt, created, CurrentAttempt, Idempotency } from '../idempotency/index.js';
import { Deprecated } from '../lifecycle/index.js';
import { Operation, OperationGroup } from '../openapi/index.js';
import { JsonBody, MergePatchBody, StrictQuery } from '../validation/index.js';
import { ListPetsQuery } from './list-pets.query.js';
import { NewPet, PetChange } from './pet.dto.js';
import { PetAnswers } from './pet-answers.js';
import { CHANGE_PET, PET_CHANGES, REMOVE_PET } from './pet-changes.operations.js';
import { PetId } from './pet-id.decorator.js';
import { CREATE_PET, GET_PET, GET_PET_DEPRECATION, LIST_PETS, NEW_PETS } from './pets.operations.js';
import { PetsService } from './pets.service.js';

@OperationGroup('Pets', 'The catalogue of animals.')
@Controller('pets')
export class PetsController {
  private readonly address: string;

  constructor(
    private readonly pets: PetsService,
    private readonly answers: PetAnswers,
    private readonly idempotency: Idempotency,
    env: Env,
  ) {
    this.address = publicAddress(env, '/pets');
  }

  @Get()
  @Operation(LIST_PETS)
  @Revalidates('Link')
  async listPets(@StrictQuery(ListPetsQuery) query: ListPetsQuery, @Res({ passthrough: true }) reply: FastifyReply): Promise<Answered> {
    return answerPage(reply, this.address, query, await this.answers.page(query));
  }

  @Post()
  @Operation(CREATE_PET)
  createPet(@JsonBody(NewPet, NEW_PETS) pet: NewPet, @CurrentAttempt() attempt: Attempt): Promise<string> {
    return this.idempotency.answer(
      attempt,
      async (manager) => created(this.address, await this.pets.createIn(manager, pet)),
      async () => created(this.address, await this.pets.create(pet)),
    );
  }

  @Get(':petId')
  @Operation(GET_PET)
  @Deprecated(GET_PET_DEPRECATION)
  @Revalidates()
  async getPet(@PetId() petId: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<Answered> {
    const { json, etag } = await this.answers.animal(petId);
    return answerWithEtag(reply, json, etag);
  }

  @Patch(':petId')
  @Operation(CHANGE_PET)
  async changePet(
    @PetId() petId: string,
    @MergePatchBody(PetChange, PET_CHANGES) change: PetChange,
    @IfMatch() precondition: Precondition,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answered> {
    return answerWithEtag(reply, JSON.stringify(await this.pets.change(petId, change, precondition)));
  }

  @Delete(':petId')
  @Operation(REMOVE_PET)
  removePet(@PetId() petId: string, @IfMatch() precondition: Precondition): Promise<void> {
    return this.pets.remove(petId, precondition);
  }
}
