import { NestFactory } from '@nestjs/core';
import { BearerGuard } from '../../../../src/auth/bearer.guard.js';
import { Env } from '../../../../src/platform/config/env.js';
import { addCommonHeaders, addEarlyResponses, batchRequestsPerTick } from '../../../../src/http/hooks/requests.js';
import { RoutedPaths } from '../../../../src/http/hooks/routed-paths.js';
import { createServer } from '../../../../src/http/server.js';
import { addJsonBodyParser } from '../../../../src/http/json/json-body.js';
import { RequestMetrics } from '../../../../src/monitoring/request-metrics.js';
import { Admission } from '../../../../src/rate-limit/admission.js';
import { PlanThrottlerGuard } from '../../../../src/rate-limit/plan-throttler.guard.js';

import { PetsController } from '../../../../src/pets/pets.controller.js';
import { CoreModule } from './core.module.js';
import { addPetRoutes } from './pets.js';

// Nest creates the same services as in our service, but handles no requests.
const context = await NestFactory.createApplicationContext(CoreModule, { logger: false });
const env = context.get(Env);
const metrics = context.get(RequestMetrics);
const server = createServer(env);
addJsonBodyParser(server);
addCommonHeaders(server, env);
batchRequestsPerTick(server);
const admission = new Admission(server);
admission.guards = { bearer: context.get(BearerGuard), throttler: context.get(PlanThrottlerGuard) };
addEarlyResponses(server, new RoutedPaths(server));
server.addHook('onSend', async (request, reply, payload) => metrics.observeResponse(request, reply, payload));
metrics.observeConnections(server.server);
addPetRoutes(server, context.get(PetsController));
await server.listen({ port: env.PORT, host: env.HOST ?? '127.0.0.1' });
