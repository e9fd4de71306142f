import { crc32 } from 'node:zlib';

/** The key in Redis of the windows of a subject. */
export type CounterKey = (prefix: string, subject: number | string) => string;

/**
 * Anybody can send requests from any number of addresses, and an address is counted until the end of the day. So there are
 * this many counters, of about 300 bytes each; addresses with the same one share their limits.
 */
const ADDRESS_COUNTERS = 2 ** 20;

export const accountKey: CounterKey = (prefix, accountId) => `${prefix}{account:${accountId}}:usage`;

export const addressKey: CounterKey = (prefix, address) =>
  `${prefix}{address:${(crc32(String(address)) % ADDRESS_COUNTERS).toString(16)}}:usage`;
