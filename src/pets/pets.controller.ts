import { Body, Controller, Delete, Get, Patch, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import {
  IfMatch,
  Precondition,
  type ResponseBody,
  Revalidates,
  sendCreated,
  sendPageJson,
  sendWithEtag,
  publicAddress,
  Idempotent,
  Env,
  Deprecated,
  Operation,
  OperationGroup,
} from '../kernel.js';
import { PetResponseCache } from './cache/pet-response-cache.js';
import { ListPetsQuery, NewPet, PetChange, PetId } from './pet.dto.js';
import { CHANGE_PET, CREATE_PET, GET_PET, GET_PET_DEPRECATION, LIST_PETS, REMOVE_PET } from './pets.operations.js';
import { PetsService } from './pets.service.js';

@OperationGroup('Pets', 'The catalogue of pets.')
@Controller('pets')
export class PetsController {
  constructor(
    private readonly pets: PetsService,
    private readonly responses: PetResponseCache,
    private readonly env: Env,
  ) {}

  @Get()
  @Operation(LIST_PETS)
  @Revalidates('Link')
  async listPets(
    @Query() query: ListPetsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    return sendPageJson(reply, publicAddress(this.env, '/pets'), query, await this.responses.page(query));
  }

  @Post()
  @Operation(CREATE_PET)
  @Idempotent()
  async createPet(@Body() pet: NewPet, @Res({ passthrough: true }) reply: FastifyReply): Promise<ResponseBody> {
    return sendCreated(reply, publicAddress(this.env, '/pets'), await this.pets.create(pet));
  }

  @Get(':petId')
  @Operation(GET_PET)
  @Deprecated(GET_PET_DEPRECATION)
  @Revalidates()
  async getPet(@PetId() petId: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<ResponseBody> {
    const { json, etag } = await this.responses.animal(petId);
    return sendWithEtag(reply, json, etag);
  }

  @Patch(':petId')
  @Operation(CHANGE_PET)
  async changePet(
    @PetId() petId: string,
    @Body() change: PetChange,
    @IfMatch() precondition: Precondition,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    return sendWithEtag(reply, JSON.stringify(await this.pets.change(petId, change, precondition)));
  }

  @Delete(':petId')
  @Operation(REMOVE_PET)
  removePet(@PetId() petId: string, @IfMatch() precondition: Precondition): Promise<void> {
    return this.pets.remove(petId, precondition);
  }
}
