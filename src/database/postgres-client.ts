import { Client, type ClientConfig } from 'pg';

/**
 * A connection that may be lost at any time. Node ends the process where nobody listens to an error, as for a moment
 * between the pool and who is given a connection of it; whoever uses the connection next is told all the same.
 */
export class PostgresClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}
