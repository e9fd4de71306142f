import { lookup as resolve, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { Injectable } from '@nestjs/common';
import { DomainError, Env } from '../kernel.js';

type Family = 'ipv4' | 'ipv6';

/** Networks that are not in the public internet (IANA special-purpose registries), and those that embed IPv4 addresses. */
// Of IPv6, the public internet has only 2000::/3.
const INTERNAL = `
  0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24
  192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
  ::/3 4000::/2 8000::/1 2001::/23 2001:db8::/32 2002::/16 3fff::/20`
  .trim()
  .split(/\s+/);

/** The URL parser accepts more, such as a backslash for a slash, which other programs read differently. */
const URI = /^\w+:\/\/[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/;
const HTTPS_PORT = 443;
const HTTP_PORT = 80;

/**
 * Where webhooks can be: at public addresses, by https on port 443, unless `WEBHOOK_ALLOW` has more. The address that a
 * connection uses is checked, because a name can stand for another one later.
 */
@Injectable()
export class WebhookAddresses {
  private readonly internal = new Networks(INTERNAL);
  private readonly allowed: Networks;
  private readonly ports: ReadonlySet<number>;
  private readonly protocols: ReadonlySet<string>;
  protected readonly resolve: typeof resolve = resolve;

  constructor({ WEBHOOK_ALLOW: allow }: Env) {
    this.allowed = new Networks(allow.filter((one) => one.includes('/')));
    const isHttpAllowed = allow.includes('http');
    const ports = allow.filter((one) => /^\d+$/.test(one)).map(Number);
    this.ports = new Set([HTTPS_PORT, ...ports, ...(isHttpAllowed ? [HTTP_PORT] : [])]);
    this.protocols = new Set(['https:', ...(isHttpAllowed ? ['http:'] : [])]);
  }

  /**
   * Checks a URL, as far as it can be without its address.
   * @throws DomainError `validation_failed`
   */
  check(text: string): URL {
    const url = URL.parse(text);
    const isWeb = url !== null && this.protocols.has(url.protocol);
    if (!isWeb || url.username !== '' || url.password !== '' || url.hash !== '')
      throw invalid(
        `must be an absolute ${[...this.protocols].join(' or ').replaceAll(':', '')} URL without credentials or a fragment`,
      );
    const port = Number(url.port) || (url.protocol === 'http:' ? HTTP_PORT : HTTPS_PORT);
    if (!this.ports.has(port)) throw invalid(`must use port ${[...this.ports].join(' or ')}`);
    const host = hostOf(url);
    // The URL parser has turned every notation of an IPv4 address into its decimal form.
    if (isIP(host) !== 0 && !this.isAllowed(host)) throw invalid('must not be an internal address');
    if (!URI.test(text)) throw invalid('must be a URI with //, and without spaces, \\ and non-ASCII characters');
    return url;
  }

  isAllowed(address: string): boolean {
    return !this.internal.have(address) || this.allowed.have(address);
  }

  /** For the connection: it fails unless all addresses of the name are allowed, and connects to one of those. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    this.resolve(hostname, { ...options, all: true }, (error, addresses: LookupAddress[] = []) => {
      const [first] = addresses;
      if (error !== null) return callback(error, '');
      if (first === undefined || !addresses.every(({ address }) => this.isAllowed(address)))
        return callback(new Error('The host name of the receiver resolves to an internal address.'), '');
      if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** Without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replaceAll(/^\[|\]$/g, '');
}

/** One list for each family: IPv4 addresses are in ::ffff:0:0/96 too, for a list of both. */
class Networks {
  private readonly lists = { ipv4: new BlockList(), ipv6: new BlockList() } as const;

  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [address = '', prefix] = network.split('/');
      this.lists[familyOf(address)].addSubnet(address, Number(prefix), familyOf(address));
    }
  }

  have(address: string): boolean {
    return this.lists[familyOf(address)].check(address, familyOf(address));
  }
}

function familyOf(address: string): Family {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

function invalid(rule: string): DomainError {
  return new DomainError('validation_failed', `url ${rule}.`);
}
