import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { createServer } from 'node:tls';

/** Ends TLS in front of a contender, on the processor of the load generator, as a proxy does in production. */
export interface TlsProxy {
  readonly origin: string;
  stop(): void;
}

/** @param pem certificate and key */
export async function startTlsProxy(port: number, pem: Buffer): Promise<TlsProxy> {
  const proxy = createServer({ key: pem, cert: pem }, (client) => {
    const contender = connect(port, '127.0.0.1');
    // The load generator closes its connections in the middle of a response when its time is over.
    client.on('error', () => contender.destroy());
    contender.on('error', () => client.destroy());
    client.pipe(contender).pipe(client);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  return { origin: `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`, stop: () => void proxy.close() };
}
