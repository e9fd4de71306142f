#!/usr/bin/env node
import { fastify } from 'fastify';
import { admitRequests } from './admission.js';
import { answerErrors } from './errors.js';
import { addPetRoutes } from './pets.js';
import { openPostgres } from './postgres.js';
import { openSqlite } from './sqlite.js';

const server = fastify({
  logger: false,
  ajv: { customOptions: { removeAdditional: false } },
});
const SQLITE = 'sqlite:';
const url = process.env['DATABASE_URL'] ?? '';
const backend = url.startsWith(SQLITE) ? openSqlite(url.slice(SQLITE.length)) : openPostgres(url);
answerErrors(server);
await admitRequests(server, backend);
addPetRoutes(server, backend.pets);
await server.listen({ port: Number(process.env['PORT']), host: process.env['HOST'] ?? '127.0.0.1' });
