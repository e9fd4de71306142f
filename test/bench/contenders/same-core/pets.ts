import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Env } from '../../../../src/platform/config/env.js';
import { ApiError, sendProblem } from '../../../../src/http/errors/api-error.js';
import { toProblem } from '../../../../src/http/errors/api-exception.filter.js';
import { isCanonicalId } from '../../../../src/platform/int64.js';
import { RequestValidationPipe } from '../../../../src/http/validation/request-validation.pipe.js';
import { announce, declareDeprecation } from '../../../../src/lifecycle/deprecation.interceptor.js';
import { ListPetsQuery, NewPet } from '../../../../src/pets/pet.dto.js';
import { GET_PET_DEPRECATION, type PetsController } from '../../../../src/pets/pets.controller.js';
import { petNotFound } from '../../../../src/pets/pets.service.js';

const JSON_TYPE = 'application/json; charset=utf-8';
const ENV = new Env();
const DEPRECATED = declareDeprecation(GET_PET_DEPRECATION);

/** Fastify calls the methods of our controller directly. This code replaces Nest's guards, decorators and pipes. */
export function addPetRoutes(server: FastifyInstance, pets: PetsController): void {
  server.setErrorHandler((error, _request, reply) => sendProblem(reply, toProblem(error)));

  const pipe = new RequestValidationPipe();

  server.get('/v1/pets', async (request, reply) => {
    requireScope(request, 'pets:read');
    reply.header('content-type', JSON_TYPE);
    const query = await pipe.transform(request.query, { type: 'query', metatype: ListPetsQuery });
    return pets.listPets(query as ListPetsQuery, reply);
  });

  server.get<{ Params: { petId: string } }>('/v1/pets/:petId', (request, reply) => {
    requireScope(request, 'pets:read');
    const { petId } = request.params;
    announce(DEPRECATED, ENV, reply);
    reply.header('content-type', JSON_TYPE);
    if (!isCanonicalId(petId)) throw petNotFound();
    return pets.getPet(petId, reply);
  });

  server.post('/v1/pets', async (request, reply) => {
    requireScope(request, 'pets:write');
    const body = await pipe.transform(request.body, { type: 'body', metatype: NewPet });
    reply.code(201).header('content-type', JSON_TYPE);
    return pets.createPet(body as NewPet, reply);
  });
}

function requireScope({ caller }: FastifyRequest, scope: string): void {
  if (caller?.scopes.has(scope) !== true)
    throw new ApiError('insufficient_scope', `This operation needs a key with the scope ${scope}.`);
}
