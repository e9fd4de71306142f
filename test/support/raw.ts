import { connect } from 'node:net';

/**
 * Sends bytes over a new connection. Returns everything that it receives until the server closes the connection, which it
 * must do.
 * @param how `end` closes the client's side right after the bytes
 */
export function sendRaw(port: number, bytes: string | Buffer, how: 'write' | 'end' = 'write'): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket[how](bytes));
    const finish = () => resolve(Buffer.concat(chunks).toString('latin1'));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('close', finish);
    socket.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? finish() : reject(error)));
  });
}
