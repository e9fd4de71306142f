import type { FastifyError, FastifyInstance, FastifyReply } from 'fastify';

/** Sends every error with the same body format. */
export function answerErrors(server: FastifyInstance): void {
  server.setErrorHandler<FastifyError>((error, _request, reply) => {
    const status = error.statusCode ?? 500;
    return status < 500
      ? sendError(reply, status, 'validation_failed', `${error.message}.`)
      : sendError(reply, status, 'internal_error', 'The service failed to process this request.');
  });
  server.setNotFoundHandler((_request, reply) => sendError(reply, 404, 'route_not_found', 'This path does not exist.'));
}

export function sendError(reply: FastifyReply, status: number, code: string, message: string): FastifyReply {
  return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify({ code, message, status }));
}
