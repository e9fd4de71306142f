import type { FastifyInstance } from 'fastify';
import { sendError } from './errors.js';
import { CREATE, GET, LIST } from './schemas.js';
import type { NewPet, PetStatements } from './statements.js';

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

export function addPetRoutes(server: FastifyInstance, pets: PetStatements): void {
  server.get<{ Querystring: ListQuery }>('/v1/pets', { schema: LIST }, (request, reply) => {
    const { limit, status, after = 0 } = request.query;
    return whenThere(pets.list(status, after, limit + 1), (page) => {
      if (page.length > limit) {
        page.pop();
        const filter = status === undefined ? '' : `&status=${status}`;
        reply.header('link', `</v1/pets?limit=${limit}${filter}&after=${page.at(-1)?.id}>; rel="next"`);
      }
      reply.send(page);
    });
  });

  server.get<{ Params: { petId: number } }>('/v1/pets/:petId', { schema: GET }, (request, reply) => {
    const { petId } = request.params;
    return whenThere(pets.get(petId), (pet) => {
      reply.headers(DEPRECATED);
      if (pet === undefined) sendError(reply, 404, 'pet_not_found', `There is no pet with the identifier "${petId}".`);
      else reply.send(pet);
    });
  });

  server.post<{ Body: NewPet }>('/v1/pets', { schema: CREATE }, (request, reply) => {
    return whenThere(pets.create(request.body), (id) => {
      reply
        .code(201)
        .header('location', `/v1/pets/${id}`)
        .send({ id, ...request.body });
    });
  });
}

/** Calls `then` synchronously if the value is already available. */
function whenThere<T>(value: T | Promise<T>, then: (value: T) => void): void | Promise<void> {
  return value instanceof Promise ? value.then(then) : then(value);
}
