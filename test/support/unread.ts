import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Connections that send requests and never read the responses. */
export class UnreadConnections {
  private constructor(private readonly sockets: readonly Socket[]) {}

  /** @param bytes sent at once on each connection */
  static async open(port: number, count: number, bytes: string): Promise<UnreadConnections> {
    const sockets = Array.from({ length: count }, () => connect({ port, host: '127.0.0.1' }));
    // The service may close a connection while it still sends.
    for (const socket of sockets) socket.on('error', () => undefined);
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    for (const socket of sockets) socket.write(bytes);
    return new UnreadConnections(sockets);
  }

  destroy(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}
