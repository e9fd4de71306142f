import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Opens connections that never read, a hundred at a time, and sends the same bytes on all of them. */
export async function openUnread(port: number, count: number, bytes: string): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const length = Math.min(100, count - sockets.length);
    const some = Array.from({ length }, () => connect({ port, host: '127.0.0.1' }));
    // The service may close a connection while it still sends.
    for (const socket of some) socket.on('error', () => undefined);
    await Promise.all(some.map((socket) => once(socket, 'connect')));
    sockets.push(...some);
  }
  for (const socket of sockets) socket.write(bytes);
  return sockets;
}
