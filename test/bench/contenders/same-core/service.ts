import { NestFactory } from '@nestjs/core';
import { BearerGuard } from '../../../../src/auth/index.js';
import { Env } from '../../../../src/platform/index.js';

import {
  addCommonHeaders,
  addEarlyResponses,
  batchRequestsPerTick,
  createServer,
  addJsonBodyParser,
} from '../../../../src/http/index.js';
import { RequestMetrics } from '../../../../src/monitoring/index.js';
import { PetsController } from '../../../../src/pets/pets.controller.js';
import { addAdmission, PlanThrottlerGuard } from '../../../../src/rate-limit/index.js';
import { CoreModule } from './core.module.js';
import { addPetRoutes } from './pets.js';

// Nest creates the same services as in our service, but handles no requests.
const context = await NestFactory.createApplicationContext(CoreModule, { logger: false });
const env = context.get(Env);
const guards = {
  bearer: context.get(BearerGuard),
  throttler: context.get(PlanThrottlerGuard),
};
const metrics = context.get(RequestMetrics);
const server = createServer(env, {
  refused: (status) => metrics.observeUnparsed(status),
  dropped: () => undefined,
});
addCommonHeaders(server, env);
batchRequestsPerTick(server);
addJsonBodyParser(server);
addAdmission(server, () => guards);
addEarlyResponses(server, new Map());
metrics.observeRequests(server);
addPetRoutes(server, context.get(PetsController));
await server.listen({ port: env.PORT, host: env.HOST ?? '127.0.0.1' });
