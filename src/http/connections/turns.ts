import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** How long one turn of the event loop reads requests, in milliseconds. */
const MAX_READING_MS = 25;
/** How long reading one connection takes only if it is hostile, in milliseconds. */
const SLOW_MS = 5;
/** How long the others have the event loop to themselves after reading such a connection, in milliseconds. */
const PAUSE_MS = 100;

/**
 * Shares the event loop between connections. Node reads from all connections with new bytes in one turn, and parses up to
 * 64 KiB of each before anything else happens: thousands of pipelined requests or tiny chunks, which take megabytes. If that
 * takes too long, the other connections are read in later turns: one, then twice as many each time, and one again after a
 * connection that took long. So hostile connections delay others little, and what one turn allocates is bounded
 * (docs/decisions/0020-connections.md has figures).
 */
export function shareTurns(server: Server): void {
  const connections = new SharedConnections();
  server.on('connection', (socket: Socket) => connections.add(socket));
  server.prependListener('request', ({ socket }) => connections.read(socket));
}

/**
 * Lets requests that arrive in the same turn of the event loop continue together. Each step, from admission to the write,
 * then runs for one request after the other while the processor's caches are warm. This saves a third of the processor time
 * of a busy service. A single request does not wait.
 */
export function batchRequestsPerTick(server: FastifyInstance): void {
  let turn: Promise<void> | undefined;
  const begin = async () => {
    await nextTurn();
    turn = undefined;
  };
  // A shared promise instead of callbacks: it restores the async context of each request.
  server.addHook('onRequest', () => (turn ??= begin()));
}

/** A turn of the event loop that reads requests. Times are those of `performance.now()`. */
interface Turn {
  readonly sinceMs: number;
  /** The connection that is read. */
  socket: Socket;
  socketSinceMs: number;
  isTooLong: boolean;
}

/** Open connections, and which of them are not read for the moment. */
class SharedConnections {
  private turn: Turn | undefined;
  /** Whether reading one connection took long in the last turn. */
  private isBusy = false;
  /** In the order in which they were opened. */
  private readonly open = new Set<Socket>();
  /** In the order in which they were held. */
  private readonly held = new Set<Socket>();
  private isReleasing = false;
  /** How many are released at once. */
  private batch = 1;
  private isOldestNext = true;

  /** Call it for each request that was read. */
  read(socket: Socket): void {
    const nowMs = performance.now();
    const { turn } = this;
    if (turn === undefined) {
      this.turn = { sinceMs: nowMs, socket, socketSinceMs: nowMs, isTooLong: false };
      this.isBusy = false;
      setImmediate(() => this.endTurn());
      return;
    }
    if (socket !== turn.socket) {
      this.isBusy ||= nowMs - turn.socketSinceMs > SLOW_MS;
      turn.socket = socket;
      turn.socketSinceMs = nowMs;
    }
    if (turn.isTooLong || nowMs - turn.sinceMs <= MAX_READING_MS) return;
    turn.isTooLong = true;
    this.hold(socket);
  }

  private endTurn(): void {
    if (this.turn === undefined) return;
    this.isBusy ||= performance.now() - this.turn.socketSinceMs > SLOW_MS;
    this.turn = undefined;
  }

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

  private hold(except: Socket): void {
    for (const socket of this.open) {
      if (socket === except || socket.isPaused()) continue;
      socket.pause();
      this.held.add(socket);
    }
    this.beginRelease();
  }

  private beginRelease(): void {
    if (this.isReleasing) return;
    this.isReleasing = true;
    setImmediate(() => this.release());
  }

  /** Reads from some connections in the next turn, and then from twice as many, unless one of them took long. */
  private release(): void {
    const released = this.take(this.batch);
    this.isReleasing = released.length > 0;
    if (!this.isReleasing) return;
    for (const socket of released) socket.resume();
    setImmediate(() => {
      this.endTurn();
      this.batch = this.isBusy ? 1 : this.batch * 2;
      if (this.isBusy) setTimeout(() => this.release(), PAUSE_MS);
      else this.release();
    });
  }

  /**
   * Takes those that wait longest, so that each is read at last, and those that were held last: a client that opens many
   * connections at once has those between.
   */
  private take(count: number): Socket[] {
    const held = [...this.held];
    // In turn, where only one is taken.
    this.isOldestNext = !this.isOldestNext;
    const oldest = held.splice(0, Math.floor((count + Number(this.isOldestNext)) / 2));
    const newest = held.slice(Math.max(held.length - (count - oldest.length), 0));
    const taken = [...oldest, ...newest];
    for (const socket of taken) this.held.delete(socket);
    return taken;
  }
}
