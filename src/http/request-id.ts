import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** What may come from outside into the logs; never an API key, which somebody could send by mistake. */
const ACCEPTABLE = /^(?!.*psk_)[\w.-]{1,64}$/;

/** The id that a client gave its request in X-Request-Id, else a new one. */
export function requestId({ headers }: { headers: IncomingMessage['headers'] }): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && ACCEPTABLE.test(given) ? given : randomUUID();
}
