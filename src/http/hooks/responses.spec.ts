import { expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { fastify } from 'fastify';
import { loadEnv } from '../../platform/config/load-env.js';
import { requestLog } from './responses.js';

/** The sizes in the log of two requests: one that chance takes into a sample of 1 %, and one that it does not. */
async function loggedSizes(settings: Record<string, string>): Promise<unknown[]> {
  const log = jest.spyOn(Logger.prototype, 'log').mockReturnValue();
  const random = jest.spyOn(Math, 'random');
  const listen = requestLog(loadEnv(settings));
  const server = fastify();
  server.addHook('onSend', async (request, reply, payload) => listen(request, reply, payload));
  server.post<{ Body: string }>('/', async ({ body }) => body);
  for (const [payload, chance] of [
    ['ü', 0.009],
    ['abc', 0.01],
  ] as const) {
    random.mockReturnValue(chance);
    await server.inject({ method: 'POST', url: '/', payload, headers: TEXT });
  }
  await server.close();
  return log.mock.calls.map(([line]) => (line as { bytes: unknown }).bytes);
}

const TEXT = { 'content-type': 'text/plain' };

it.each<[Record<string, string>, unknown[]]>([
  [{}, []],
  [{ ACCESS_LOG: 'off', LOG_LEVEL: 'warn' }, []],
  [{ ACCESS_LOG: 'sampled' }, [2]],
  [{ ACCESS_LOG: 'all' }, [2, 3]],
  [{ LOG_LEVEL: 'debug' }, [2, 3]],
  [{ LOG_LEVEL: 'trace' }, [2, 3]],
])('requests are logged, all, a sample or none, as %j says', async (settings, sizes) => {
  expect(await loggedSizes(settings)).toEqual(sizes);
});
