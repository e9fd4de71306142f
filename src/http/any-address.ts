import { networkInterfaces } from 'node:os';

/** The address that stands for all addresses of this machine: `::` takes IPv4 too, but needs IPv6 to be there. */
export function anyAddress(): string {
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return interfaces.some(({ family }) => family === 'IPv6') ? '::' : '0.0.0.0';
}
