import { Controller, Delete, Get, Patch, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { answerWithEtag, etagOf, IfMatch, Precondition, Revalidates } from '../conditional/index.js';
import { Env } from '../config/index.js';
import { nextPageLink, publicAddress } from '../http/index.js';
import { type Answer, type Attempt, CurrentAttempt, Idempotency } from '../idempotency/index.js';
import { Deprecated } from '../lifecycle/index.js';
import { Operation, OperationGroup } from '../openapi/index.js';
import { JsonBody, MergePatchBody, StrictQuery } from '../validation/index.js';
import { ListPetsQuery } from './list-pets.query.js';
import { type Animal, NewPet, PetChange } from './pet.dto.js';
import { PetAnswers } from './pet-answers.js';
import { CHANGE_PET, PET_CHANGES, REMOVE_PET } from './pet-changes.operations.js';
import { PetId } from './pet-id.decorator.js';
import { CREATE_PET, GET_PET, GET_PET_DEPRECATION, LIST_PETS, NEW_PETS } from './pets.operations.js';
import { PetsService } from './pets.service.js';

/** JSON as it goes over the wire; nothing where the client has it already. */
type Answered = string | undefined;

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
    const { json, etag, nextAfter } = await this.answers.page(query);
    if (nextAfter !== undefined) reply.header('Link', nextPageLink(this.address, query, nextAfter));
    return answerWithEtag(reply, json, etag);
  }

  @Post()
  @Operation(CREATE_PET)
  createPet(@JsonBody(NewPet, NEW_PETS) pet: NewPet, @CurrentAttempt() attempt: Attempt): Promise<string> {
    return this.idempotency.answer(
      attempt,
      async (manager) => this.created(await this.pets.createIn(manager, pet)),
      async () => this.created(await this.pets.create(pet)),
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

  private created(animal: Animal): Answer {
    const body = JSON.stringify(animal);
    return { headers: { Location: `${this.address}/${animal.id}`, ETag: etagOf(body) }, body };
  }
}
