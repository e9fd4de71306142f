import { connect, type TcpNetConnectOpts } from 'node:net';

/** Opens a connection, and collects what comes over it. */
export function openRaw(port: number, options: Partial<TcpNetConnectOpts> = {}) {
  const chunks: Buffer[] = [];
  const socket = connect({ port, host: '127.0.0.1', ...options });
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => undefined);
  return {
    socket,
    /** What has come so far. */
    received: () => Buffer.concat(chunks).toString('latin1'),
    closed: new Promise((resolve) => socket.once('close', resolve)),
  };
}

/**
 * Sends bytes over a new connection. Returns everything that it receives until the server closes the connection, which it
 * must do.
 * @param how `end` closes the client's side right after the bytes
 */
export async function sendRaw(port: number, bytes: string | Buffer, how: 'write' | 'end' = 'write'): Promise<string> {
  const { socket, received, closed } = openRaw(port);
  socket[how](bytes);
  await closed;
  return received();
}

/** One response as received over the wire. */
export interface RawResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Of each response, its status and whether it ends the connection. */
export const endsOf = (responses: readonly RawResponse[]) =>
  responses.map(({ status, headers }) => [status, headers.get('connection')]);

/** Splits the bytes of a connection into responses. Throws on bytes that are not a response. */
export function rawResponses(bytes: string): RawResponse[] {
  const responses: RawResponse[] = [];
  for (let rest = bytes; rest !== '';) {
    const end = rest.indexOf('\r\n\r\n');
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n');
    const status = /^HTTP\/1\.1 ([0-9]{3}) /.exec(statusLine)?.[1];
    if (end === -1 || status === undefined)
      throw new Error(`This is no response: ${JSON.stringify(rest.slice(0, 200))}`);
    const headers = new Map(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const length = Number(headers.get('content-length') ?? 0);
    responses.push({ status: Number(status), headers, body: rest.slice(end + 4, end + 4 + length) });
    rest = rest.slice(end + 4 + length);
  }
  return responses;
}
