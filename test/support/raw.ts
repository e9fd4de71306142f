import { connect } from 'node:net';

/**
 * Sends bytes over a new connection. Returns everything that it receives until the server closes the connection, or until
 * `quietMs` after the last byte, but at least 5 s after the request.
 * @param how `end` closes the client's side right after the bytes
 */
export function sendRaw(
  port: number,
  bytes: string | Buffer,
  quietMs = 300,
  how: 'write' | 'end' = 'write',
): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket[how](bytes));
    let quiet = setTimeout(finish, Math.max(quietMs, 5_000));
    function finish(): void {
      clearTimeout(quiet);
      socket.destroy();
      resolve(Buffer.concat(chunks).toString('latin1'));
    }
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      clearTimeout(quiet);
      quiet = setTimeout(finish, quietMs);
    });
    socket.on('close', finish);
    socket.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? finish() : reject(error)));
  });
}
