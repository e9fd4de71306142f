import { describe, expect, it } from '@jest/globals';
import { quotaAddress } from './address.js';

describe('the address that is counted', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['::1', '::1'],
    ['', 'unknown'],
    ['not an address', 'unknown'],
    ['192.0.2.7, 10.0.0.1', 'unknown'],
    ['999.0.2.7', 'unknown'],
    ['x'.repeat(100_000), 'unknown'],
  ])('of %.40s is %s', (ip, counted) => {
    expect(quotaAddress(ip)).toBe(counted);
  });
});
