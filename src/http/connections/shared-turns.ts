import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** How long one turn of the event loop reads requests, in milliseconds. */
const MAX_READING_MS = 50;
/** A turn in which one connection was read for this long delays others, in milliseconds. */
const LONG_TURN_MS = 10;
/** How long the others have the event loop to themselves after such a turn, in milliseconds. */
const PAUSE_MS = 100;

/**
 * Shares the event loop between connections. Node reads from all connections with new bytes in one turn, and parses up to
 * 64 KiB of each before anything else happens: thousands of pipelined requests or tiny chunks, which take megabytes. If that
 * takes too long, the other connections are read in later turns, one in each. So hostile connections delay others little, and
 * what one turn allocates is bounded (docs/decisions/0020-connections.md has figures).
 */
export function shareTurns(server: Server): void {
  const connections = new SharedConnections();
  let readingSinceMs: number | undefined;
  let isTooLong = false;
  server.on('connection', (socket: Socket) => connections.add(socket));
  server.prependListener('request', ({ socket }) => {
    const nowMs = performance.now();
    if (readingSinceMs === undefined) {
      readingSinceMs = nowMs;
      setImmediate(() => {
        connections.isBusy = performance.now() - nowMs > LONG_TURN_MS;
        readingSinceMs = undefined;
        isTooLong = false;
      });
    } else if (!isTooLong && nowMs - readingSinceMs > MAX_READING_MS) {
      isTooLong = true;
      connections.hold(socket);
    }
  });
}

/** Open connections, and which of them are not read for the moment. */
class SharedConnections {
  /** Whether the last turn was long. */
  isBusy = false;
  /** In the order in which they were opened. */
  private readonly open = new Set<Socket>();
  private held = new Set<Socket>();
  private isReleasing = false;
  private isOldestNext = true;

  /** A new connection waits in a busy time, so that those behind it are accepted, too. */
  add(socket: Socket): void {
    this.open.add(socket);
    socket.once('close', () => {
      this.open.delete(socket);
      this.held.delete(socket);
    });
    // Deferred, because Node begins to read after this.
    if (this.isBusy || this.isReleasing) setImmediate(() => this.holdNew(socket));
  }

  private holdNew(socket: Socket): void {
    if (socket.destroyed) return;
    socket.pause();
    this.held.add(socket);
    this.beginRelease();
  }

  /** Stops reading from all connections but one, and begins to release them. */
  hold(except: Socket): void {
    const held = [...this.open].filter((socket) => socket !== except && (this.held.has(socket) || !socket.isPaused()));
    for (const socket of held) socket.pause();
    this.held = new Set(held);
    this.beginRelease();
  }

  private beginRelease(): void {
    if (this.isReleasing) return;
    this.isReleasing = true;
    setImmediate(() => this.release());
  }

  /** Reads from one connection in the next turn. If that takes long, the others have some time to themselves. */
  private release(): void {
    const socket = this.next();
    this.isReleasing = socket !== undefined;
    if (socket === undefined) return;
    this.held.delete(socket);
    socket.resume();
    const sinceMs = performance.now();
    setImmediate(() => {
      if (performance.now() - sinceMs < LONG_TURN_MS) this.release();
      else setTimeout(() => this.release(), PAUSE_MS);
    });
  }

  /** The oldest and the newest in turn: a client that opens many connections at once has those between. */
  private next(): Socket | undefined {
    const held = [...this.held];
    this.isOldestNext = !this.isOldestNext;
    return held.at(this.isOldestNext ? 0 : -1);
  }
}
