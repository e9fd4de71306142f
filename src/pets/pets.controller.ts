import { Body, Controller, Delete, Get, Patch, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Deprecated, type Deprecation, operationRemoved } from '../kernel.js';
import { created, Operation, OperationGroup, pageOf, resource, UNKNOWN_ID } from '../kernel.js';
import { Env, Idempotent, IfMatch, PathId, Precondition, Revalidates } from '../kernel.js';
import { publicAddress, type ResponseBody, sendCreated, sendPageJson, sendWithEtag } from '../kernel.js';
import { PetResponseCache } from './cache/pet-response-cache.js';
import { Animal, ListPetsQuery, NewPet, PetChange } from './pet.dto.js';
import { petInOrder, petNotFound, petReferredTo, petSold, PetsService } from './pets.service.js';

const BELLA = { id: 1, name: 'Bella', categoryId: 1, status: 'available' };
const MILO = { id: 2, name: 'Milo', categoryId: 2, status: 'available' };
const SIMBA = { name: 'Simba', categoryId: 3, status: 'available' };
const COCO = { name: 'Coco', categoryId: 1 };

export const GET_PET_DEPRECATION: Deprecation = {
  since: '2026-11-21',
  sunset: '2030-12-05',
  successor: '/v1/pets?ids={petId}',
  advice:
    'Use GET /v1/pets instead: with ids, such as ?ids=1, for a single pet and its ETag, or with the status filter.',
  documentation: '/docs#/Pets/getPet',
};

/** Injects the identifier of a pet in the path, the parameter `petId`, as decimal digits, and documents it. */
export function PetId(): ParameterDecorator {
  return PathId('petId', { description: 'Identifier of the pet.', notFound: petNotFound });
}

@OperationGroup('Pets', 'The catalogue of pets.')
@Controller('pets')
export class PetsController {
  constructor(
    private readonly pets: PetsService,
    private readonly responses: PetResponseCache,
    private readonly env: Env,
  ) {}

  @Get()
  @Operation({
    id: 'listPets',
    summary: 'List pets',
    description:
      'Returns pets in ascending order of `id`. `Link` points to the next page (`rel="next"`). ' +
      'A pet must match all filters. A pet without a status matches no status filter. With a single identifier in `ids`, ' +
      '`ETag` is that of the pet, for `If-Match`.',
    scope: 'pets:read',
    stability: 'stable',
    success: pageOf(Animal, 'Pets', 'A page of pets.', { 'Two pets': [BELLA, MILO], 'No matching pet': [] }),
  })
  @Revalidates('Link')
  async listPets(
    @Query() query: ListPetsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    return sendPageJson(reply, publicAddress(this.env, '/pets'), query, await this.responses.page(query));
  }

  @Post()
  @Operation({
    id: 'createPet',
    summary: 'Create a pet',
    description: 'The body is JSON in UTF-8, at most 16 KiB. If you omit `status`, the pet has none.',
    scope: 'pets:write',
    stability: 'stable',
    bodyExamples: { 'With a status': SIMBA, 'Without a status': COCO },
    success: created(Animal, 'The new pet with its `id`.', {
      'With a status': { id: 6, ...SIMBA },
      'Without a status': { id: 7, ...COCO },
    }),
  })
  @Idempotent()
  async createPet(@Body() pet: NewPet, @Res({ passthrough: true }) reply: FastifyReply): Promise<ResponseBody> {
    return sendCreated(reply, publicAddress(this.env, '/pets'), await this.pets.create(pet));
  }

  @Get(':petId')
  @Operation({
    id: 'getPet',
    summary: 'Get a pet',
    description: 'An unknown or malformed identifier returns 404.',
    scope: 'pets:read',
    stability: 'stable',
    success: resource(Animal, 'The pet.', { 'A pet': BELLA }),
    errors: [petNotFound(UNKNOWN_ID), operationRemoved(GET_PET_DEPRECATION)],
  })
  @Deprecated(GET_PET_DEPRECATION)
  @Revalidates()
  async getPet(@PetId() petId: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<ResponseBody> {
    const { json, etag } = await this.responses.animal(petId);
    return sendWithEtag(reply, json, etag);
  }

  @Patch(':petId')
  @Operation({
    id: 'changePet',
    summary: 'Change a pet',
    description:
      'Accepts a JSON merge patch (RFC 7396): omitted fields are kept, and `null` removes the `status`. `sold` is final; every other ' +
      'transition is allowed. While an open order reserves the pet, its status cannot change.',
    scope: 'pets:write',
    stability: 'beta',
    bodyExamples: { 'A new name': { name: 'Bello' }, 'A status': { status: 'pending' }, 'No status': { status: null } },
    success: resource(Animal, 'The changed pet.', {
      'With a status': { id: 1, name: 'Bello', categoryId: 1, status: 'pending' },
      'Without a status': { id: 1, name: 'Bello', categoryId: 1 },
    }),
    errors: [petNotFound(UNKNOWN_ID), petSold(), petInOrder('its status cannot change')],
  })
  async changePet(
    @PetId() petId: string,
    @Body() change: PetChange,
    @IfMatch() precondition: Precondition,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    return sendWithEtag(reply, JSON.stringify(await this.pets.change(petId, change, precondition)));
  }

  @Delete(':petId')
  @Operation({
    id: 'removePet',
    summary: 'Remove a pet',
    description:
      'A pet that an open order reserves, or that other records refer to, cannot be removed. Identifiers are never reused.',
    scope: 'pets:write',
    stability: 'beta',
    success: { status: 204, description: 'The pet was removed.' },
    errors: [petNotFound(UNKNOWN_ID), petInOrder('it cannot be removed'), petReferredTo()],
  })
  removePet(@PetId() petId: string, @IfMatch() precondition: Precondition): Promise<void> {
    return this.pets.remove(petId, precondition);
  }
}
