import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { webhookSettings } from '../support/webhook-settings.js';

/** A receiver of webhooks that accepts everything, for the manual's commands. */
export class WebhookReceiver {
  /** What stands for its address in the manual. */
  static readonly PLACEHOLDER = 'https://example.com/hooks/pets';
  readonly url: string;
  /** Settings that let a service post to it. */
  readonly env: ReturnType<typeof webhookSettings>;

  private constructor(private readonly server: Server) {
    const { port } = server.address() as AddressInfo;
    this.url = `http://127.0.0.1:${port}/hooks/pets`;
    this.env = webhookSettings(port);
  }

  static async start(): Promise<WebhookReceiver> {
    const server = createServer((request, response) => {
      request.resume().once('end', () => response.writeHead(204).end());
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return new WebhookReceiver(server);
  }

  stop(): void {
    this.server.close().closeAllConnections();
  }
}
