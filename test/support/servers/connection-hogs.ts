import { Client } from 'pg';

/** Connections that only a test uses. */
export class ConnectionHogs {
  private readonly clients: Client[] = [];

  /** @param most as many as the server has */
  constructor(
    private readonly url: string,
    private readonly most: number,
  ) {}

  /**
   * Takes every connection of the server, including those of the instances, which try to reconnect meanwhile.
   * @param terminate a statement that ends those of the instances
   */
  async useUp(terminate: string): Promise<void> {
    let ofInstances = 1;
    while (ofInstances > 0) {
      await Promise.all(Array.from({ length: this.most }, () => this.connect()));
      ofInstances = (await this.clients[0]?.query(terminate))?.rowCount ?? 1;
    }
  }

  async release(): Promise<void> {
    await Promise.all(this.clients.splice(0).map((client) => client.end()));
  }

  private async connect(): Promise<void> {
    const client = new Client({ connectionString: this.url });
    client.on('error', () => undefined);
    await client.connect().then(
      () => this.clients.push(client),
      () => undefined,
    );
  }
}
