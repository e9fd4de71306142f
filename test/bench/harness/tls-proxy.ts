import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';

/** Ends TLS in front of a contender, on the processor of the load generator, as a proxy does in production. */
export interface TlsProxy {
  readonly origin: string;
  stop(): void;
}

export async function startTlsProxy(port: number, folder: string): Promise<TlsProxy> {
  const files = ['key.pem', 'certificate.pem'].map((name) => join(folder, name));
  const [key = '', cert = ''] = files;
  const made = ['-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=localhost', '-keyout', key, '-out', cert];
  execFileSync('openssl', ['req', '-x509', ...made], { stdio: 'ignore' });
  const proxy = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (client) => {
    const contender = connect(port, '127.0.0.1');
    // The load generator closes its connections in the middle of a response when its time is over.
    client.on('error', () => contender.destroy());
    contender.on('error', () => client.destroy());
    client.pipe(contender).pipe(client);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  return { origin: `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`, stop: () => void proxy.close() };
}
