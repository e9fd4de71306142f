import { fastify } from 'fastify';
import { admitRequests } from './admission.js';
import { answerErrors } from './errors.js';
import { openDatabase } from './database.js';
import { addPetRoutes } from './pets.js';

const server = fastify({
  logger: false,
  ajv: { customOptions: { removeAdditional: false } },
});
const database = openDatabase(process.env['DATABASE_URL'] ?? '');
answerErrors(server);
await admitRequests(server, database);
addPetRoutes(server, database);
await server.listen({ port: Number(process.env['PORT']), host: process.env['HOST'] ?? '127.0.0.1' });
