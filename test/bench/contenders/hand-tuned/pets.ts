import type { FastifyInstance } from 'fastify';
import type { Database } from './database.js';
import { sendError } from './errors.js';
import { CREATE, GET, LIST } from './schemas.js';
import { type NewPet, petStatements } from './statements.js';

interface ListQuery {
  readonly limit: number;
  readonly status?: string;
  readonly after?: number;
}

const DEPRECATED = {
  deprecation: '@1795219200',
  sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  link: '</v1/pets>; rel="successor-version", </docs#/Pets/getPet>; rel="deprecation"; type="text/html"',
};

export function addPetRoutes(server: FastifyInstance, database: Database): void {
  const pets = petStatements(database);

  server.get<{ Querystring: ListQuery }>('/v1/pets', { schema: LIST }, (request, reply) => {
    const { limit, status, after = 0 } = request.query;
    const page = pets.list(status, after, limit + 1);
    if (page.length > limit) {
      page.pop();
      const filter = status === undefined ? '' : `&status=${status}`;
      reply.header('link', `</v1/pets?limit=${limit}${filter}&after=${page.at(-1)?.id}>; rel="next"`);
    }
    reply.send(page);
  });

  server.get<{ Params: { petId: number } }>('/v1/pets/:petId', { schema: GET }, (request, reply) => {
    const pet = pets.get(request.params.petId);
    reply.headers(DEPRECATED);
    if (pet === undefined) sendError(reply, 404, 'pet_not_found', `There is no pet with the identifier "${request.params.petId}".`);
    else reply.send(pet);
  });

  server.post<{ Body: NewPet }>('/v1/pets', { schema: CREATE }, (request, reply) => {
    const id = pets.create(request.body);
    reply.code(201).header('location', `/v1/pets/${id}`).send({ id, ...request.body });
  });
}
