import { Controller, Get, Post, Res } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Env } from '../config/index.js';
import { API_PREFIX } from '../http/index.js';
import { Deprecated } from '../lifecycle/index.js';
import { Operation, OperationGroup } from '../openapi/index.js';
import { JsonBody, StrictQuery } from '../validation/index.js';
import { ListPetsQuery } from './list-pets.query.js';
import { type Animal, NewPet } from './pet.dto.js';
import { PetAnswers } from './pet-answers.js';
import { PET_ID_PARAM, PetId } from './pet-id.decorator.js';
import { CREATE_PET, GET_PET, GET_PET_DEPRECATION, LIST_PETS, NEW_PETS } from './pets.operations.js';
import { PetsService } from './pets.service.js';

@OperationGroup('Pets', 'The catalogue of animals.')
@Controller('pets')
export class PetsController {
  private readonly address: string;

  constructor(
    private readonly pets: PetsService,
    private readonly answers: PetAnswers,
    env: Env,
  ) {
    this.address = `${env.BASE_URL ?? API_PREFIX}/pets`;
  }

  @Get()
  @Operation(LIST_PETS)
  async listPets(@StrictQuery(ListPetsQuery) query: ListPetsQuery, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const { json, nextAfter } = await this.answers.page(query);
    if (nextAfter !== undefined) reply.header('Link', `<${this.nextPage(query, nextAfter)}>; rel="next"`);
    return json;
  }

  @Post()
  @Operation(CREATE_PET)
  async createPet(@JsonBody(NewPet, NEW_PETS) pet: NewPet, @Res({ passthrough: true }) reply: FastifyReply): Promise<Animal> {
    const animal = await this.pets.create(pet);
    reply.header('Location', `${this.address}/${animal.id}`);
    return animal;
  }

  @Get(':petId')
  @Operation(GET_PET)
  @Deprecated(GET_PET_DEPRECATION)
  @ApiParam(PET_ID_PARAM)
  getPet(@PetId() petId: string): string | Promise<string> {
    return this.answers.animal(petId);
  }

  private nextPage({ limit, status }: ListPetsQuery, after: number): string {
    const filter = status === undefined ? '' : `&status=${status}`;
    return `${this.address}?limit=${limit}${filter}&after=${after}`;
  }
}
