import { once } from 'node:events';
import { connect } from 'node:net';

/** Requests on their way at a time. */
const BATCH = 100;

/**
 * Sends the same request many times over one connection: the quickest way to make a service do something often.
 * @returns how many responses had which status
 */
export async function sendPipelined(port: number, request: string, count: number): Promise<Record<number, number>> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  await once(socket, 'connect');
  const statuses: Record<number, number> = {};
  let tail = '';
  for (let sent = 0; sent < count; sent += BATCH) {
    const size = Math.min(BATCH, count - sent);
    socket.write(request.repeat(size));
    for (let received = 0; received < size;) {
      const [text] = (await once(socket, 'data')) as [string];
      // A status line may come in two parts.
      const lines = `${tail}${text}`.split(/(?<=\n)/);
      tail = lines.at(-1)?.endsWith('\n') === true ? '' : (lines.pop() ?? '');
      for (const line of lines) {
        const status = /^(?:\{.*\})?HTTP\/1\.1 ([0-9]{3}) /.exec(line)?.[1];
        if (status === undefined) continue;
        statuses[Number(status)] = (statuses[Number(status)] ?? 0) + 1;
        received += 1;
      }
    }
  }
  socket.destroy();
  return statuses;
}
