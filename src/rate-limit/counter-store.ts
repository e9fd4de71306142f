import { isIPv4, isIPv6 } from 'node:net';
import { normalizeIp } from '@nestjs/throttler';
import type { Caller } from '../auth/caller.js';
import type { Decision, UsageReport } from './windows/decision.js';

const IPV4_MAPPED = '::ffff:';

/** An address with a port, as some proxies write it into X-Forwarded-For. */
const WITH_PORT = /^(?:\[(?<ipv6>[^\]]+)\](?::\d+)?|(?<ipv4>\d+(?:\.\d+){3}):\d+)$/;

/**
 * Counts requests against windows and bans, atomically. It makes all quota decisions of the service.
 * An implementation returns no promise if it can decide synchronously, which saves a turn of the event loop.
 */
export abstract class CounterStore {
  /** Takes one from both windows of the account or from neither; a rejection counts towards a ban of the key. */
  abstract admit(caller: Caller): Decision | Promise<Decision>;

  /** The usage of the caller. Counts nothing. */
  abstract peek(caller: Caller): UsageReport | Promise<UsageReport>;

  /**
   * Counts a request without a valid key against the windows of its address. Addresses are never banned.
   * @param address from `rateLimitKey`
   */
  abstract admitAddress(address: string): Decision | Promise<Decision>;

  /** The decision of `admitAddress`, without counting the request: `remaining` includes it. */
  abstract peekAddress(address: string): Decision | Promise<Decision>;

  /**
   * Takes a request from a fixed window beside the plan, which the first admitted request opens.
   * @param subject whose window it is, such as a route and a caller
   */
  abstract takeFromWindow(subject: string, limit: number, windowSeconds: number): Decision | Promise<Decision>;

  /** @deprecated Use `takeFromWindow`. */
  takeFromRoute(...window: Parameters<CounterStore['takeFromWindow']>): Decision | Promise<Decision> {
    return this.takeFromWindow(...window);
  }
}

/**
 * The key under which a client address is counted: IPv6 by /64, which belongs to one client, and IPv4-mapped as IPv4.
 * Anything but an IP address shares one counter, so that clients cannot fill the tables with arbitrary text.
 * @param ip undefined if the client has closed the connection
 */
export function rateLimitKey(ip: string | undefined, ipv6Prefix = 64): string {
  if (ip === undefined) return 'unknown';
  // How Node names the IPv4 clients of a socket for both versions; normalizeIp takes a tenth of a 401 for it.
  const unmapped = ip.startsWith(IPV4_MAPPED) ? ip.slice(IPV4_MAPPED.length) : ip;
  if (isIPv4(unmapped)) return unmapped;
  if (isIPv6(ip)) return normalizeIp(ip, ipv6Prefix);
  const { ipv4, ipv6 } = WITH_PORT.exec(ip)?.groups ?? {};
  return ipv4 === undefined && ipv6 === undefined ? 'unknown' : rateLimitKey(ipv4 ?? ipv6, ipv6Prefix);
}

/** The network of what `rateLimitKey` returns: IPv4 by /24. IPv6 is a network already. */
export function networkOf(address: string): string {
  return isIPv4(address) ? `${address.slice(0, address.lastIndexOf('.'))}.0/24` : address;
}
