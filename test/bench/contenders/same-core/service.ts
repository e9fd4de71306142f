import { NestFactory } from '@nestjs/core';
import { Env } from '../../../../src/config/index.js';
import { Metrics } from '../../../../src/health/index.js';
import { addCommonHeaders, addEarlyAnswers, createServer, keepFirstRequests, shareTurns } from '../../../../src/http/index.js';
import { PetsController } from '../../../../src/pets/pets.controller.js';
import { Admission } from '../../../../src/rate-limit/index.js';
import { CoreModule } from './core.module.js';
import { addPetRoutes } from './pets.js';

// The same services as ours has, made by Nest, which then has no part in any request.
const context = await NestFactory.createApplicationContext(CoreModule, { logger: false });
const env = context.get(Env);
const admission = context.get(Admission);
const metrics = context.get(Metrics);
const server = createServer(env);
keepFirstRequests(server);
addCommonHeaders(server, env);
shareTurns(server);
server.addHook('onRequest', (request, reply, done) => admission.onRequest(request, reply, done));
addEarlyAnswers(server);
server.addHook('onSend', async (request, reply, payload) => {
  metrics.observe(request, reply);
  return payload;
});
addPetRoutes(server, context.get(PetsController));
await server.listen({ port: env.PORT, host: env.HOST ?? '127.0.0.1' });
