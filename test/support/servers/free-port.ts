import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Below the range of outgoing connections, so that none of them uses the port. */
const FIRST = 20_000;
const COUNT = 10_000;

/** References, so that the servers are not garbage-collected. */
const reservations: Server[] = [];
let next = FIRST + 2 * Math.floor((process.pid * 37) % (COUNT / 2));

/**
 * A free, even TCP port. This process reserves it until it ends by listening on the odd port above, so concurrent tests get
 * different ports.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < COUNT / 2; tries += 1) {
    const port = next;
    next = FIRST + ((port + 2 - FIRST) % COUNT);
    const reservation = await listen(port + 1);
    if (reservation === undefined) continue;
    const found = await listen(port);
    if (found === undefined) {
      reservation.close();
      continue;
    }
    reservations.push(reservation.unref());
    found.close();
    await once(found, 'close');
    return port;
  }
  throw new Error('All ports for tests are in use.');
}

/**
 * Starts a program on a free port, and on another one if somebody takes that first.
 * @param taken part of the error message of a program whose port is taken
 */
export async function onFreePort<T>(start: (port: number) => Promise<T>, taken: string): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await start(await freePort());
    } catch (error) {
      if (tries === 5 || !String(error).includes(taken)) throw error;
    }
  }
}

/** Listens on all addresses; undefined if the port is in use on one of them. */
async function listen(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port);
  try {
    await once(server, 'listening');
    return server;
  } catch {
    return undefined;
  }
}
