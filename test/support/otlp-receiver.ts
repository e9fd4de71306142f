import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { listen } from './listen.js';

export interface Span {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
}

interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: Pick<Span, 'attributes'>;
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

export class OtlpReceiver {
  readonly requests: ExportRequest[] = [];
  private readonly server = createServer((request, response) => {
    void json(request).then((body) => {
      this.requests.push(body as ExportRequest);
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });

  async start(): Promise<string> {
    return `http://127.0.0.1:${await listen(this.server)}`;
  }

  get spans(): Span[] {
    return this.requests
      .flatMap(({ resourceSpans }) => resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans)
      .flatMap(({ spans }) => spans);
  }

  get resources(): Record<string, unknown>[] {
    return this.requests.flatMap(({ resourceSpans }) => resourceSpans).map(({ resource }) => attributesOf(resource));
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

export function attributesOf({ attributes }: Pick<Span, 'attributes'>): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
