import { createServer, type IncomingHttpHeaders } from 'node:http';
import { listen } from './listen.js';
import { webhookSettings } from './webhook-settings.js';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly path: string;
}

/** A webhook as the API returns it. */
export interface Webhook {
  readonly id: number;
  readonly keyId: string;
  /** In the responses to its creation and rotation only. */
  readonly secret: string;
  readonly state: string;
  readonly reason?: string;
}

/** A delivery as the API returns it. */
export interface Delivery {
  readonly subject: string;
  readonly state: string;
  readonly attempts: number;
  readonly dueAt: string;
  readonly error?: string;
}

export class WebhookReceiver {
  /** The status and headers for a path, default 204. */
  readonly responses = new Map<string, { readonly status: number; readonly headers?: Record<string, string> }>();
  /** Names of pets whose events get no response. */
  readonly unanswered = new Set<string>();
  /** Settings of a service that can post to it, once it is started. */
  readonly env: Record<string, string> = {};
  address = '';
  private readonly received: Received[] = [];
  private readonly server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { headers, url: path = '' } = request;
      const body = Buffer.concat(chunks).toString();
      this.received.push({ headers, body, path });
      if ([...this.unanswered].some((name) => body.includes(name))) return;
      const { status, headers: sent = {} } = this.responses.get(path) ?? { status: 204 };
      response.writeHead(status, sent).end();
    });
  });

  async start(): Promise<void> {
    const port = await listen(this.server);
    this.address = `http://127.0.0.1:${port}`;
    Object.assign(this.env, webhookSettings(port));
  }

  stop(): void {
    this.server.close();
    this.closeConnections();
  }

  closeConnections(): void {
    this.server.closeAllConnections();
  }

  reset(): void {
    this.received.splice(0);
    this.responses.clear();
    this.unanswered.clear();
  }

  at(path: string): readonly Received[] {
    return this.received.filter((one) => one.path === path);
  }
}
