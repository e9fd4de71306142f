import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** How long one turn of the event loop reads requests, in milliseconds. */
const MAX_READING_MS = 25;
/** More than ordinary clients send at once. Not a time: on a busy machine, clients would then wait for nothing. */
const LARGE_READ_BYTES = 4_096;
/** How many connections are read at once after that: one that was ordinary, and another. */
const SMALL_BATCH = 2;
/** Among how many of those that were opened last chance decides. */
const RECENT = 4;
/** How much longer than the reading of such connections the others have the event loop, but at least this. */
const PAUSE_FACTOR = 3;
const MIN_PAUSE_MS = 100;

/**
 * Node reads from all connections with new bytes in one turn of the event loop, and parses up to 64 KiB of each: thousands
 * of pipelined requests or tiny chunks, which take megabytes. If that takes too long, the other connections are read in later
 * turns: a few, then twice as many each time, and a few again after a connection that sent much. So hostile connections delay
 * others little, and what one turn allocates is bounded (docs/decisions/0020-connections.md has figures).
 */
export function readInTurn(server: Server): void {
  const connections = new SharedConnections();
  server.on('connection', (socket: Socket) => connections.add(socket));
  server.prependListener('request', ({ socket }) => connections.read(socket));
}

class SharedConnections {
  /** When a turn of the event loop began to read requests, on the clock of `performance.now()`. */
  private turnSinceMs: number | undefined;
  private isTurnTooLong = false;
  private isBusy = false;
  /** In the order in which they were opened, with the bytes until the last request, and whether that was ordinary. */
  private readonly open = new Map<Socket, { bytesRead: number; isOrdinary: boolean }>();
  /** Held connections whose last request was ordinary, in the order in which they were held. */
  private readonly ordinary = new Set<Socket>();
  /** Other held connections, in that order too: new ones are the last. */
  private readonly others = new Set<Socket>();
  private isReleasing = false;
  private batch = SMALL_BATCH;
  private isLongestNext = false;

  read(socket: Socket): void {
    if (this.turnSinceMs === undefined) {
      this.isBusy = false;
      this.isTurnTooLong = false;
      setImmediate(() => (this.turnSinceMs = undefined));
    }
    const sinceMs = (this.turnSinceMs ??= performance.now());
    const { bytesRead } = socket;
    const connection = this.open.get(socket);
    if (connection !== undefined) {
      connection.isOrdinary = bytesRead - connection.bytesRead <= LARGE_READ_BYTES;
      connection.bytesRead = bytesRead;
      this.isBusy ||= !connection.isOrdinary;
    }
    if (this.isTurnTooLong || performance.now() - sinceMs <= MAX_READING_MS) return;
    this.isTurnTooLong = true;
    for (const [other, { isOrdinary }] of this.open) {
      if (other === socket || other.isPaused()) continue;
      other.pause();
      (isOrdinary ? this.ordinary : this.others).add(other);
    }
    this.beginRelease();
  }

  /** A new connection waits in a busy time, so that those behind it are accepted, too. */
  add(socket: Socket): void {
    this.open.set(socket, { bytesRead: 0, isOrdinary: false });
    socket.once('close', () => {
      this.open.delete(socket);
      this.forget(socket);
    });
    // Deferred, because Node begins to read after this.
    if (!this.isBusy && !this.isReleasing) return;
    setImmediate(() => {
      if (socket.destroyed) return;
      socket.pause();
      this.others.add(socket);
      this.beginRelease();
    });
  }

  private beginRelease(): void {
    if (this.isReleasing) return;
    this.isReleasing = true;
    setImmediate(() => this.release());
  }

  /** Reads from some connections in the next turn, and then from twice as many, unless one of them sent much. */
  private release(): void {
    const released = this.take(this.batch);
    this.isReleasing = released.length > 0;
    if (!this.isReleasing) return;
    for (const socket of released) socket.resume();
    const sinceMs = performance.now();
    setImmediate(() => {
      const tookMs = performance.now() - sinceMs;
      this.turnSinceMs = undefined;
      this.batch = this.isBusy ? SMALL_BATCH : this.batch * 2;
      if (this.isBusy) setTimeout(() => this.release(), Math.max(MIN_PAUSE_MS, PAUSE_FACTOR * tookMs));
      else this.release();
    });
  }

  /** Clients that have behaved are not held up by others, a new client not by those before it, and each is read at last. */
  private take(most: number): Socket[] {
    const taken: Socket[] = [];
    const others = [...this.others];
    while (taken.length < most) {
      const [ordinary] = this.ordinary;
      const socket = (taken.length % SMALL_BATCH === 0 ? ordinary : undefined) ?? this.takeOther(others) ?? ordinary;
      if (socket === undefined) break;
      this.forget(socket);
      taken.push(socket);
    }
    return taken;
  }

  private takeOther(others: Socket[]): Socket | undefined {
    this.isLongestNext = !this.isLongestNext;
    if (this.isLongestNext) return others.shift();
    const fromLast = Math.floor(Math.random() * Math.min(RECENT, others.length));
    return others.splice(others.length - 1 - fromLast, 1)[0];
  }

  private forget(socket: Socket): void {
    this.ordinary.delete(socket);
    this.others.delete(socket);
  }
}
