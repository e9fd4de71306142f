import type { lookup, LookupAddress } from 'node:dns';
import { describe, expect, it } from '@jest/globals';
import { Env } from '../kernel.js';
import { WebhookAddresses } from './webhook-addresses.js';

/** Whose name server gives other answers each time. */
class FakeNames extends WebhookAddresses {
  answers: LookupAddress[][] = [];
  protected override readonly resolve = ((
    _name: string,
    _options: object,
    callback: (error: null, found: readonly LookupAddress[]) => void,
  ) => callback(null, this.answers.shift() ?? [])) as typeof lookup;

  connectTo(name: string, all: boolean): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.lookup(name, { all }, (error, found) => (error === null ? resolve(found) : reject(error)));
    });
  }
}

const withAllowed = (...WEBHOOK_ALLOW: string[]) => new FakeNames(Object.assign(new Env(), { WEBHOOK_ALLOW }));
const PUBLIC = { address: '93.184.216.34', family: 4 };
const INSIDE = { address: '127.0.0.1', family: 4 };

describe('addresses of webhooks', () => {
  it.each([
    '8.8.8.8',
    '93.184.216.34',
    '1.1.1.1',
    '2606:4700::1111',
    '2a00:1450:4001:830::200e',
    '2001:4860:4860::8888',
  ])('can be public: %s', (address) => expect(withAllowed().isAllowed(address)).toBe(true));

  it.each(
    `127.0.0.1 10.1.2.3 169.254.169.254 192.168.0.1 172.31.255.255 100.127.0.1 255.255.255.255 192.0.0.8 192.0.2.1
     192.88.99.1 198.19.255.255 198.51.100.1 203.0.113.1 2001:db8::1 3fff::1 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1 64:ff9b::127.0.0.1 2002:7f00:1:: 2001::1
     fe80::1 fe80::1%lo fd00::1 fec0::1 ff02::1 5f00::1 100::1`.split(/\s+/),
  )('must not be internal: %s', (address) => expect(withAllowed().isAllowed(address)).toBe(false));

  it('can be in networks that the operator allows, of one family only', () => {
    const addresses = withAllowed('10.0.0.0/8', '::/0');
    const asked = ['10.1.1.1', '127.0.0.1', 'fd00::1'];
    expect(asked.map((address) => addresses.isAllowed(address))).toEqual([true, false, true]);
  });

  it.each([true, false])('are checked at each connection, not only at the first (all: %s)', async (all) => {
    const names = withAllowed();
    names.answers = [[PUBLIC], [INSIDE], [PUBLIC, INSIDE], []];
    expect(await names.connectTo('rebinding.example', all)).toEqual(all ? [PUBLIC] : PUBLIC.address);
    for (let again = 0; again < 3; again += 1)
      await expect(names.connectTo('rebinding.example', all)).rejects.toThrow('resolves to an internal address');
  });
});
