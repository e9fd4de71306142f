import { isIP } from 'node:net';
import { normalizeIp } from '@nestjs/throttler';

/** Whatever is no IP address shares one counter, so that made-up text never reaches the tables. */
const UNKNOWN = 'unknown';

/** The name under which a client address is counted: IPv6 by /64, which one client has whole; IPv4-mapped as IPv4. */
export function quotaAddress(ip: string): string {
  return isIP(ip) === 0 ? UNKNOWN : normalizeIp(ip);
}
