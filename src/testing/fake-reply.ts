import { fastify, type FastifyReply, type HTTPMethods } from 'fastify';

/** The request that a fake reply answers. Default: a GET without headers. */
export interface FakeRequest {
  readonly method?: HTTPMethods & ('GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE');
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A reply that nobody receives, for unit tests of methods with `@Res({ passthrough: true })`. Its `statusCode` and `getHeaders()`
 * are those that the method sets, and its `request` is the one passed. It is in an object because a reply is thenable.
 */
export async function fakeReply({ method = 'GET', headers = {} }: FakeRequest = {}): Promise<{ reply: FastifyReply }> {
  const server = fastify();
  const { promise, resolve } = Promise.withResolvers<{ reply: FastifyReply }>();
  server.all('/', (_request, reply) => {
    resolve({ reply });
    // Never sent.
    reply.hijack();
  });
  void server.inject({ method, url: '/', headers });
  return promise;
}
