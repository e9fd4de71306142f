import { type Action, type Create, pathOf, PATHS, type Resource } from './actions.js';
import type { ExpectedResponse } from './model-state.js';

/** The identifier of a resource that a client knows, and the account that can see it. */
export interface KnownId {
  readonly as: number;
  readonly id: string;
}

/** The requests that a client has sent and the responses it has received. */
export class ClientHistory {
  /** Includes removed resources. */
  readonly known: Readonly<Record<Resource, KnownId[]>> = { pets: [], categories: [], orders: [] };
  /** Requests with an Idempotency-Key, including those that failed. */
  readonly keyed: Create[] = [];
  /** The last representation received (`ExpectedResponse.representation`), by path. */
  readonly representations = new Map<string, string>();

  /** @param response undefined if none arrived */
  record(action: Action, response: ExpectedResponse | undefined): void {
    if (action.do === 'create' && action.idempotencyKey !== undefined) this.keyed.push(action);
    if (response?.representation !== undefined)
      this.representations.set(response.location ?? pathOf(action), response.representation);
    if (response?.location !== undefined)
      this.known[action.of].push({ as: action.as, id: response.location.slice(PATHS[action.of].length + 1) });
  }
}
