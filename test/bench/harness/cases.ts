import { generateApiKey } from '../../../src/auth/keys/api-key-format.js';
import type { Ask } from './ask.js';
import { shuffled } from './random.js';

export interface Case {
  readonly name: string;
  readonly title: string;
  /** Requests, sent in order and repeated. */
  readonly deck: readonly Ask[];
  /** The status that every response must have. A mix of requests has several success statuses. */
  readonly expect: 'success' | 401;
  /** True if all responses are identical, so that a constant can replace them. */
  readonly constant: boolean;
  /** Whether a proxy in front of the contender ends TLS. */
  readonly tls?: true;
}

/** Number of pets in the benchmark database. */
export const PETS = 10_000;

const MIX_SIZE = 2_000;
const MIX_CREATES = MIX_SIZE * 0.05;

/** The cases to compare, called with this key. */
export function benchCases(key: string): Case[] {
  const known = { authorization: `Bearer ${key}` };
  const list: Ask = { method: 'GET', path: '/v1/pets?status=available', headers: known };
  const get = (id: number): Ask => ({ method: 'GET', path: `/v1/pets/${id}`, headers: known });
  const create: Ask = {
    method: 'POST',
    path: '/v1/pets',
    headers: { ...known, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Bella', categoryId: 3, status: 'available' }),
  };
  const ids = shuffled(Array.from({ length: PETS }, (_, index) => index + 1));
  const reads = ids.slice(0, MIX_SIZE - MIX_CREATES).map((id, index) => (index % 2 === 0 ? list : get(id)));
  const mix = shuffled([...reads, ...Array.from({ length: MIX_CREATES }, () => create)]);
  // Never issued, so the service must look it up.
  const unknown: Ask = { ...list, headers: { authorization: `Bearer ${generateApiKey('live')}` } };
  const success = { expect: 'success', constant: true } as const;
  return [
    { ...success, name: 'list', title: 'list of 20 by status', deck: [list] },
    { ...success, name: 'get', title: 'get, one id', deck: [get(PETS / 2)] },
    { ...success, name: 'get-connect', title: 'get, a new connection each', deck: [closing(get(PETS / 2))] },
    {
      ...success,
      name: 'get-tls',
      title: 'get, a new connection with TLS each',
      deck: [closing(get(PETS / 2))],
      tls: true,
    },
    { ...success, name: 'get-random', title: 'get, random ids', deck: ids.map(get), constant: false },
    { ...success, name: 'create', title: 'create, durable', deck: [create] },
    {
      ...success,
      name: 'mix',
      title: 'mix: 5 % creates, the rest half list, half get of random ids',
      deck: mix,
      constant: false,
    },
    { name: '401', title: '401, no key', deck: [{ ...list, headers: {} }], expect: 401, constant: true },
    { name: '401-unknown', title: '401, unknown key', deck: [unknown], expect: 401, constant: true },
  ];
}

/** The request with a field that makes the service close the connection after the response. */
function closing(ask: Ask): Ask {
  return { ...ask, headers: { ...ask.headers, connection: 'close' } };
}
