import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** A request id that is accepted from clients and logged. */
const ACCEPTABLE = /^[\w.-]{1,64}$/;
/** Length of the random part of an API key. */
const MIN_KEY_LENGTH = 30;
/** Random parts change at least this often between digits, upper and lower case; names made of words almost never do. */
const MIN_KEY_CHANGES = 10;

/** The X-Request-Id of the client, or a new id. */
export function requestId({ headers }: { headers: IncomingMessage['headers'] }): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && ACCEPTABLE.test(given) && !resemblesApiKey(given) ? given : randomUUID();
}

/**
 * Whether a text looks like an API key: whole, without its prefix, or in pieces. A key mixes upper and lower case, unlike
 * UUIDs and trace ids.
 */
function resemblesApiKey(text: string): boolean {
  if (/psk/i.test(text)) return true;
  const characters = text.replaceAll(/[^0-9A-Za-z]/g, '');
  if (characters.length < MIN_KEY_LENGTH || !/[A-Z]/.test(text) || !/[a-z]/.test(text)) return false;
  const runs = characters.match(/[0-9]+|[A-Z]+|[a-z]+/g) ?? [];
  return runs.length > MIN_KEY_CHANGES;
}
