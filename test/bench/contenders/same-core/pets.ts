import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError, problem, sendProblem } from '../../../../src/errors/index.js';
import { notice } from '../../../../src/lifecycle/deprecation.js';
import { ListPetsQuery } from '../../../../src/pets/list-pets.query.js';
import { NewPet } from '../../../../src/pets/pet.dto.js';
import { petNotFound } from '../../../../src/pets/pet-not-found.js';
import type { PetsController } from '../../../../src/pets/pets.controller.js';
import { GET_PET_DEPRECATION } from '../../../../src/pets/pets.operations.js';
import { isCanonicalId } from '../../../../src/validation/index.js';
import { parseJson } from '../../../../src/validation/parse-json.js';
import { parseQuery } from '../../../../src/validation/parse-query.js';
import { readBody } from '../../../../src/validation/read-body.js';
import { validateBody } from '../../../../src/validation/validate-body.js';

const JSON_TYPE = 'application/json; charset=utf-8';
const DEPRECATED = notice(GET_PET_DEPRECATION).headers;

/** The methods of our controller, called by Fastify itself, with what Nest's guards, decorators and pipes do written out. */
export function addPetRoutes(server: FastifyInstance, pets: PetsController): void {
  server.setErrorHandler((error, _request, reply) => {
    sendProblem(reply, error instanceof ApiError ? error : problem('internal_error', 'The service failed to answer this request.'));
  });

  server.get('/v1/pets', (request, reply) => {
    requireScope(request, 'pets:read');
    reply.header('content-type', JSON_TYPE);
    return pets.listPets(parseQuery(ListPetsQuery, request.query), reply);
  });

  server.get<{ Params: { petId: string } }>('/v1/pets/:petId', (request, reply) => {
    requireScope(request, 'pets:read');
    const { petId } = request.params;
    reply.headers(DEPRECATED).header('content-type', JSON_TYPE);
    if (!isCanonicalId(petId)) throw petNotFound(petId);
    return pets.getPet(petId, reply);
  });

  server.post('/v1/pets', async (request, reply) => {
    requireScope(request, 'pets:write');
    const body = validateBody(NewPet, parseJson(await readBody(request.raw, reply.raw)));
    reply.code(201).header('content-type', JSON_TYPE);
    return pets.createPet(body, { key: undefined, request, reply });
  });
}

function requireScope({ caller }: FastifyRequest, scope: string): void {
  if (caller?.scopes.has(scope) !== true) throw new ApiError('insufficient_scope', `This operation needs a key with the scope ${scope}.`);
}
