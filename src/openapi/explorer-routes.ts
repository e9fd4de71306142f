import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../errors/index.js';

/** Everything that Swagger UI's page asks for; its package holds more, which is nobody's business. */
const FILES: ReadonlySet<string> = new Set([
  '',
  'swagger-ui.css',
  'swagger-ui-bundle.js',
  'swagger-ui-standalone-preset.js',
  'swagger-ui-init.js',
  'favicon-16x16.png',
  'favicon-32x32.png',
]);

/** Nothing from elsewhere is loaded, and no other page frames this one, which keeps a key; calls go to any of the servers. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  'connect-src *',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Guards the routes below a path that are added from now on; no other request passes through here. */
export function guardExplorerRoutes(server: FastifyInstance, path: string): void {
  const onRequest = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
    const [target = ''] = request.url.split('?');
    if (!FILES.has(target.slice(path.length + 1))) return done(new ApiError('route_not_found', 'There is nothing at this path.'));
    reply.header('content-security-policy', POLICY);
    done();
  };
  server.addHook('onRoute', (route) => {
    if (route.url === path || route.url.startsWith(`${path}/`)) route.onRequest = onRequest;
  });
}
