import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Below what operating systems take for outgoing connections, so that none of those gets it either. */
const FIRST = 20_000;
const COUNT = 10_000;

/** Kept, so that they are not collected and closed. */
const reservations: Server[] = [];
let next = FIRST + 2 * Math.floor((process.pid * 37) % (COUNT / 2));

/**
 * An even TCP port that nobody listens on. It stays this process's until that ends: whoever takes one listens on the
 * odd port above it, so that tests which run at the same time never get the same.
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

/** Listens on all addresses; undefined where somebody else does on one of them. */
async function listen(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port);
  try {
    await once(server, 'listening');
    return server;
  } catch {
    return undefined;
  }
}
