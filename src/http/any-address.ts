import type { AddressInfo, Server } from 'node:net';
import { networkInterfaces } from 'node:os';

/** The address for all addresses of this machine: `::` includes IPv4 but requires IPv6. */
export function anyAddress(): string {
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return interfaces.some(({ family }) => family === 'IPv6') ? '::' : '0.0.0.0';
}

const LOCAL = new Set(['::', '0.0.0.0', '127.0.0.1']);

/** Origin at which this machine reaches a listening server; `localhost` if it listens on all addresses. */
export function localOrigin(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  const host = family === 'IPv6' ? `[${address}]` : address;
  return `http://${LOCAL.has(address) ? 'localhost' : host}:${port}`;
}
