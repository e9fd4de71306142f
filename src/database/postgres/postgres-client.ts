import { Socket } from 'node:net';
import { Client, type ClientConfig } from 'pg';

/**
 * A connection that can be lost at any time. Node ends the process on an error without a listener, and between the pool and
 * its user a connection has none for a moment. The next user of the connection gets the error anyway.
 */
export class PostgresClient extends Client {
  private readonly socket: Socket;

  constructor(config: ClientConfig = {}) {
    const socket = new Socket();
    super({ ...config, stream: () => socket });
    this.socket = socket;
    this.on('error', () => undefined);
  }

  /** Closes the connection at once; statements in progress fail. `end` alone would wait for them. */
  destroy(): void {
    // Makes the pool drop it.
    this.end(() => undefined);
    this.socket.destroy();
  }
}
