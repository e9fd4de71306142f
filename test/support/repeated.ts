import { once } from 'node:events';
import { connect } from 'node:net';

/** Number of connections. */
const CONNECTIONS = 20;

/**
 * Sends the same request many times, over some connections at once, without the cost of a client library.
 * @returns the number of responses by status
 */
export async function sendRepeatedly(port: number, request: string, count: number): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  let left = count;
  const repeat = async (): Promise<void> => {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1');
    await once(socket, 'connect');
    while (left > 0) {
      left -= 1;
      socket.write(request);
      // Small responses arrive in one piece.
      const [text] = (await once(socket, 'data')) as [string];
      const status = Number(text.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, repeat));
  return statuses;
}
