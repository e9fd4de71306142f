import { connect } from 'node:net';
import { createServer } from 'node:tls';
import { listen } from '../../support/listen.js';

export type TlsProxy = Awaited<ReturnType<typeof startTlsProxy>>;

/**
 * Ends TLS in front of a contender, on the processor of the load generator, as a proxy does in production.
 * @param pem certificate and key
 */
export async function startTlsProxy(port: number, pem: Buffer) {
  const proxy = createServer({ key: pem, cert: pem }, (client) => {
    const contender = connect(port, '127.0.0.1');
    // The load generator closes its connections in the middle of a response when its time is over.
    client.on('error', () => contender.destroy());
    contender.on('error', () => client.destroy());
    client.pipe(contender).pipe(client);
  });
  return { origin: `https://127.0.0.1:${await listen(proxy)}`, stop: () => void proxy.close() };
}
