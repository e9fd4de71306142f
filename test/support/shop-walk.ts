import { randomInt } from 'node:crypto';
import { Agent } from 'node:http';
import { expect } from '@jest/globals';
import { ask } from './http.js';
import { type Action, type List, requestOf, type Room } from './shop-actions.js';
import { ShopModel } from './shop-model.js';
import type { Answer } from './shop-state.js';
import { ShopTags } from './shop-tags.js';

/** What decides about a walk; another one each time, unless the environment names one that failed. */
export const SEED = Number(process.env['WALK_SEED'] ?? randomInt(2 ** 31));

const LISTS: readonly (readonly [Room, ...(string | undefined)[]])[] = [
  ['pets', undefined, 'available', 'pending', 'sold'],
  ['categories', undefined],
  ['orders', undefined, 'placed', 'approved', 'delivered', 'cancelled'],
];

/** Sends requests to the service, and expects it to answer each as the model does. */
export class ShopWalk {
  model = new ShopModel();
  /** What was answered how often, as in `change pets pet_in_order` or `get orders 304`. */
  readonly tally = new Map<string, number>();
  private readonly tags = new ShopTags();
  private readonly agent = new Agent({ keepAlive: true });
  private steps = 0;

  /**
   * @param ports of the instances; asked again for each request
   * @param keys one for each account
   */
  constructor(
    private readonly ports: () => readonly number[],
    private readonly keys: readonly string[],
  ) {}

  /**
   * @param at which of the instances to ask; by default they take turns
   * @returns what the answer was, as it should; undefined where the connection broke, so that nobody knows what was done
   */
  async attempt(action: Action, at?: number): Promise<Answer | undefined> {
    this.steps += 1;
    const answer = await this.send(action, at).catch(() => undefined);
    if (answer === undefined) return undefined;
    const text = await answer.text();
    const expected = this.model.answer(action, givenIn(text));
    expectAlike({ seed: SEED, step: this.steps, action }, this.read(answer, text, expected), expected);
    const kind = `${action.do} ${action.of} ${expected.code ?? expected.status}`;
    this.tally.set(kind, (this.tally.get(kind) ?? 0) + 1);
    return expected;
  }

  /** As `attempt`, where no connection may break. */
  async perform(action: Action): Promise<Answer> {
    const answer = await this.attempt(action);
    if (answer === undefined) throw new Error(`No answer to ${JSON.stringify(action)} (seed ${SEED}).`);
    return answer;
  }

  /** Sends an action past the model. */
  send(action: Action, at = this.steps): Promise<Response> {
    const ports = this.ports();
    const request = requestOf(action, (shown) => this.tags.tagOf(shown));
    return ask(ports[at % ports.length] ?? 0, { ...request, key: this.keys[action.as] }, this.agent);
  }

  /** Compares all that can be listed, and what is answered to the latest requests with an Idempotency-Key when they are sent again. */
  async checkEverything(mostRepeats = Infinity): Promise<void> {
    for (const as of this.keys.keys()) {
      for (const [of, ...statuses] of LISTS) for (const status of statuses) await this.checkPages({ do: 'list', of, as, status, limit: 100 });
    }
    for (const action of this.model.kept.toReversed().slice(0, mostRepeats)) await this.perform(action);
  }

  /** Breaks all connections, so that no answer comes any more to what was sent; the next request opens new ones. */
  hangUp(): void {
    this.agent.destroy();
  }

  private async checkPages(list: List): Promise<void> {
    for (let page: List | undefined = list; page !== undefined; page = nextPage(page, await this.perform(page)));
  }

  private read({ status, headers }: Response, text: string, { shows }: Answer) {
    if (status >= 400) return { status, code: (JSON.parse(text) as { code: string }).code };
    const [link, location, etag] = ['link', 'location', 'etag'].map((name) => headers.get(name) ?? undefined);
    // What getPet's Link tells of its deprecation is told of in other tests.
    const next = link?.includes('rel="next"') ? link : undefined;
    return { status, text, link: next, location, shows: etag === undefined ? undefined : this.tags.shownBy(etag, shows) };
  }
}

function expectAlike(where: object, answer: object, expected: Answer): void {
  expect({ ...where, ...answer }).toEqual({ ...where, ...expected });
}

/** The page after another one, if there is any. */
export function nextPage(list: List, { link }: Pick<Answer, 'link'>): List | undefined {
  const after = /[?&]after=(-?\d+)>; rel="next"$/.exec(link ?? '')?.[1];
  return after === undefined ? undefined : { ...list, after, ifNoneMatch: undefined };
}

function givenIn(text: string) {
  return { id: /^\{"id":(-?\d+)/.exec(text)?.[1], createdAt: /"createdAt":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)"\}$/.exec(text)?.[1] };
}
