import { randomInt } from 'node:crypto';
import { Agent } from 'node:http';
import { expect } from '@jest/globals';
import { ask } from '../http.js';
import { type Action, type List, requestOf, type Resource } from './actions.js';
import { CatalogueModel } from './catalogue-model.js';
import type { ExpectedResponse } from './model-state.js';
import { KnownEtags } from './known-etags.js';

/** Seed of the random numbers. New for each run, unless FUZZ_SEED repeats a failed run. */
export const SEED = Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 31));

const LISTS: readonly (readonly [Resource, ...(string | undefined)[]])[] = [
  ['pets', undefined, 'available', 'pending', 'sold'],
  ['categories', undefined],
  ['orders', undefined, 'placed', 'approved', 'delivered', 'cancelled'],
];

/** Sends requests to the service and compares each response with that of the model. */
export class FuzzRun {
  model = new CatalogueModel();
  /** Number of responses by kind, such as `change pets pet_in_order` or `get orders 304`. */
  readonly tally = new Map<string, number>();
  private readonly etags = new KnownEtags();
  private readonly agent = new Agent({ keepAlive: true });
  private steps = 0;

  /**
   * @param ports of the instances; evaluated for each request
   * @param keys one per account
   */
  constructor(
    private readonly ports: () => readonly number[],
    private readonly keys: readonly string[],
  ) {}

  /**
   * @param at index of the instance to call; by default they take turns
   * @returns the response, which is the expected one; undefined if the connection broke and the outcome is unknown
   */
  async attempt(action: Action, at?: number): Promise<ExpectedResponse | undefined> {
    this.steps += 1;
    const response = await this.send(action, at).catch(() => undefined);
    if (response === undefined) return undefined;
    const text = await response.text();
    const expected = this.model.respond(action, assignedIn(text));
    expectEqual({ seed: SEED, step: this.steps, action }, this.read(response, text, expected), expected);
    const kind = `${action.do} ${action.of} ${expected.code ?? expected.status}`;
    this.tally.set(kind, (this.tally.get(kind) ?? 0) + 1);
    return expected;
  }

  /** Like `attempt`, but fails if the connection breaks. */
  async perform(action: Action): Promise<ExpectedResponse> {
    const response = await this.attempt(action);
    if (response === undefined) throw new Error(`No response to ${JSON.stringify(action)} (seed ${SEED}).`);
    return response;
  }

  /** Sends a request without consulting the model. */
  send(action: Action, at = this.steps): Promise<Response> {
    const ports = this.ports();
    const request = requestOf(action, (representation) => this.etags.etagOf(representation));
    return ask(ports[at % ports.length] ?? 0, { ...request, key: this.keys[action.as] }, this.agent);
  }

  /** Compares every list with the model, and repeats the latest idempotent requests to compare their responses. */
  async checkInvariants(mostRepeats = Infinity): Promise<void> {
    for (const as of this.keys.keys()) {
      for (const [of, ...statuses] of LISTS)
        for (const status of statuses) await this.checkPages({ do: 'list', of, as, status, limit: 100 });
    }
    for (const action of this.model.idempotentRequests.toReversed().slice(0, mostRepeats)) await this.perform(action);
  }

  /** Closes all connections, so that pending responses are lost. The next request opens new connections. */
  closeConnections(): void {
    this.agent.destroy();
  }

  private async checkPages(list: List): Promise<void> {
    for (let page: List | undefined = list; page !== undefined; page = nextPage(page, await this.perform(page)));
  }

  private read({ status, headers }: Response, text: string, { representation }: ExpectedResponse) {
    if (status >= 400) return { status, code: (JSON.parse(text) as { code: string }).code };
    const [link, location, etag] = ['link', 'location', 'etag'].map((name) => headers.get(name) ?? undefined);
    return {
      status,
      text,
      // Separate tests cover the deprecation links of getPet.
      link: link?.includes('rel="next"') ? link : undefined,
      location,
      representation: etag === undefined ? undefined : this.etags.representationOf(etag, representation),
    };
  }
}

/** @param context shown on failure */
function expectEqual(context: object, response: object, expected: ExpectedResponse): void {
  expect({ ...context, ...response }).toEqual({ ...context, ...expected });
}

/** Returns the request for the next page, if there is one. */
export function nextPage(list: List, { link }: Pick<ExpectedResponse, 'link'>): List | undefined {
  const after = /[?&]after=(-?\d+)>; rel="next"$/.exec(link ?? '')?.[1];
  return after === undefined ? undefined : { ...list, after, ifNoneMatch: undefined };
}

function assignedIn(text: string) {
  return {
    id: /^\{"id":(-?\d+)/.exec(text)?.[1],
    createdAt: /"createdAt":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)"[,}]/.exec(text)?.[1],
  };
}
