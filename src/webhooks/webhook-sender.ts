import { Agent as HttpAgent, type IncomingMessage, type OutgoingHttpHeaders, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, RetryLater } from '../kernel.js';
import { WebhookAddresses } from './webhook-addresses.js';
import { signedHeaders } from './webhook-secrets.js';

const TIMEOUT_MS = 15_000;
const MAX_RESPONSE_BYTES = 65_536;
const LONGEST_RETRY_AFTER_SECONDS = 86_400;
const GONE = 410;
/** How long a connection is kept for the next event. While one is sent, its own time ends before. */
const IDLE_MS = 20_000;

/** Says that the receiver wants no more events. */
export class ReceiverGone extends Error {}

/**
 * Posts signed events: no redirects, no proxies, and only to allowed addresses. Of the response, only the status counts.
 */
@Injectable()
export class WebhookSender implements OnApplicationShutdown {
  protected readonly agents = agentsFor(IDLE_MS);

  constructor(
    private readonly addresses: WebhookAddresses,
    private readonly clock: Clock,
  ) {}

  onApplicationShutdown(): void {
    for (const agent of Object.values(this.agents)) agent.destroy();
  }

  /** @throws (rejects) Error unless the receiver responds with 2xx: a `ReceiverGone`, or a `RetryLater` */
  async send(address: string, id: string, body: string, secrets: readonly string[]): Promise<void> {
    const url = this.addresses.check(address);
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'petstore-webhooks',
      ...signedHeaders(id, body, secrets, this.clock.nowMs()),
    };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await this.post(url, headers, body, signal).catch((error: unknown) => {
      throw signal.aborted ? new Error(`The receiver did not respond within ${TIMEOUT_MS / 1_000} s.`) : error;
    });
    // However it ends, the status has come in time.
    await readSome(response).catch(() => response.destroy());
    checkStatus(response, this.clock.nowMs());
  }

  private async post(
    url: URL,
    headers: OutgoingHttpHeaders,
    body: string,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const isHttp = url.protocol === 'http:';
    const agent = this.agents[isHttp ? 'http:' : 'https:'];
    const options = { method: 'POST', headers, lookup: this.addresses.lookup, agent, signal };
    const request = isHttp ? httpRequest(url, options, resolve) : httpsRequest(url, options, resolve);
    // A receiver that switches protocols (101) ends the request without an error.
    request.once('error', reject).once('close', () => reject(new Error('The receiver closed the connection.')));
    request.end(body);
    return promise.catch((error: NodeJS.ErrnoException) => {
      // The receiver may close a connection that it kept open while the request is on its way.
      if (request.reusedSocket && error.code === 'ECONNRESET') return this.post(url, headers, body, signal);
      throw error;
    });
  }
}

/** @param idleMs after which they close a connection that nobody uses */
export function agentsFor(idleMs: number) {
  const options = { keepAlive: true, maxFreeSockets: 64, timeout: idleMs };
  return { 'http:': new HttpAgent(options), 'https:': new HttpsAgent(options) } as const;
}

/** Reads what must be read so that the connection can be used again. */
async function readSome(response: IncomingMessage): Promise<void> {
  let received = 0;
  for await (const chunk of response) {
    received += (chunk as Buffer).length;
    if (received > MAX_RESPONSE_BYTES) return void response.destroy();
  }
}

function checkStatus({ statusCode = 0, headers }: IncomingMessage, nowMs: number): void {
  if (statusCode >= 200 && statusCode < 300) return;
  const message = `The receiver responded with ${statusCode}.`;
  if (statusCode === GONE) throw new ReceiverGone(message);
  const retryAfter = headers['retry-after'] ?? '';
  const seconds = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - nowMs) / 1_000;
  if (seconds > 0) throw new RetryLater(message, Math.min(seconds, LONGEST_RETRY_AFTER_SECONDS) * 1_000);
  throw new Error(message);
}
