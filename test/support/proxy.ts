import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const CHECK_INTERVAL_MS = 250;

/**
 * A minimal load balancer. It rotates requests over the instances that passed the last readiness check, keeps its
 * connections alive, and never retries a request.
 */
export class Proxy {
  private readonly agent = new Agent({ keepAlive: true });
  private readonly server = createServer((incoming, outgoing) => void this.forward(incoming, outgoing));
  private readonly timer = setInterval(() => void this.check(), CHECK_INTERVAL_MS);
  private ready: readonly number[] = [];
  private turn = 0;

  private constructor(private readonly ports: () => readonly number[]) {}

  /** @param ports of the instances; evaluated for each readiness check */
  static async start(ports: () => readonly number[]): Promise<Proxy> {
    const proxy = new Proxy(ports);
    await Promise.all([once(proxy.server.listen(0, '127.0.0.1'), 'listening'), proxy.check()]);
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  stop(): void {
    clearInterval(this.timer);
    this.server.close();
    this.server.closeAllConnections();
    this.agent.destroy();
  }

  private async check(): Promise<void> {
    const ports = this.ports();
    const isReady = await Promise.all(
      ports.map((port) =>
        fetch(`http://127.0.0.1:${port}/health/ready`).then(
          ({ ok }) => ok,
          () => false,
        ),
      ),
    );
    this.ready = ports.filter((_, n) => isReady[n]);
  }

  private async forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    try {
      const response = await this.send(incoming);
      // Connection headers apply to one hop only.
      const { connection: _connection, 'keep-alive': _keepAlive, ...headers } = response.headers;
      outgoing.writeHead(response.statusCode ?? 0, headers);
      response.pipe(outgoing);
    } catch (error) {
      outgoing.writeHead(502).end(JSON.stringify({ code: (error as NodeJS.ErrnoException).code }));
    }
  }

  private async send(incoming: IncomingMessage): Promise<IncomingMessage> {
    const { connection: _connection, ...headers } = incoming.headers;
    const port = this.ready[this.turn++ % this.ready.length];
    const sent = request({
      host: '127.0.0.1',
      port,
      method: incoming.method,
      path: incoming.url,
      headers,
      agent: this.agent,
    });
    const answered = once(sent, 'response');
    incoming.pipe(sent);
    const [response] = (await answered) as [IncomingMessage];
    return response;
  }
}
