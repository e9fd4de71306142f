import { type Action, type Change, type Create, type List, PATHS, type Remove, type Resource } from './actions.js';
import { NOT_FOUND, refusal, unlessUnchanged } from './expected-responses.js';
import { changeIn, createIn, type ServerAssigned, removePetIn } from './model-writes.js';
import {
  type ExpectedResponse,
  emptyState,
  type ModelEvent,
  type Row,
  rowsOf,
  type ModelState,
} from './model-state.js';

const STATUSES: Readonly<Record<Resource, readonly string[]>> = {
  pets: ['available', 'pending', 'sold'],
  categories: [],
  orders: ['placed', 'approved', 'delivered', 'cancelled'],
};
const DEFAULT_LIMIT = 20;
const HIGHEST_LIMIT = 100;

/** A literal model of the catalogue and the store. Returns the expected response to each request. */
export class CatalogueModel {
  constructor(private readonly state: ModelState = emptyState()) {}

  copy(): CatalogueModel {
    return new CatalogueModel(structuredClone(this.state));
  }

  /** Requests with an Idempotency-Key that succeeded. */
  get idempotentRequests(): Create[] {
    return [...this.state.idempotentRequests.values()].map(({ action }) => action);
  }

  /** The events that an account must be told. */
  eventsOf(account: number): ModelEvent[] {
    return this.state.events.filter(({ as = account }) => as === account);
  }

  /**
   * Applies a request.
   * @param assigned values that the service assigned, such as an identifier; the model checks that they are allowed
   */
  respond(action: Action, assigned: ServerAssigned = {}): ExpectedResponse {
    if ('id' in action && !couldName(action.of, action.id)) return refusal(NOT_FOUND[action.of]);
    // Interceptors run before pipes, so the service compares the key before it validates the body.
    if (action.do === 'create' && this.reusesKey(action)) return refusal('idempotency_key_reused');
    if (isMalformed(action)) return refusal('validation_failed');
    if (action.do === 'list') return this.list(action);
    if (action.do === 'create') return this.createOnce(action, assigned);
    const row = rowsOf(this.state, action.of, action.as).find(({ id }) => id === action.id);
    if (row === undefined) return refusal(NOT_FOUND[action.of]);
    return action.do === 'get'
      ? unlessUnchanged({ status: 200, text: row.text, representation: row.text }, action.ifNoneMatch)
      : this.alter(action, row);
  }

  private list({ of, as, limit = DEFAULT_LIMIT, status, after, ifNoneMatch }: List): ExpectedResponse {
    const rows = rowsOf(this.state, of, as)
      .filter((row) => status === undefined || row.status === status)
      .filter(({ id }) => after === undefined || BigInt(id) > BigInt(after));
    const page = rows.slice(0, limit);
    const text = `[${page.map((row) => row.text).join()}]`;
    const last = rows.length > limit ? page.at(-1)?.id : undefined;
    if (last === undefined) return unlessUnchanged({ status: 200, text, representation: text }, ifNoneMatch);
    const filter = status === undefined ? '' : `status=${status}&`;
    return unlessUnchanged(
      {
        status: 200,
        text,
        representation: `${text}${last}`,
        link: `<${PATHS[of]}?limit=${limit}&${filter}after=${last}>; rel="next"`,
      },
      ifNoneMatch,
    );
  }

  private createOnce(action: Create, assigned: ServerAssigned): ExpectedResponse {
    if (action.idempotencyKey === undefined) return createIn(this.state, action, assigned);
    const first = this.state.idempotentRequests.get(keyOf(action));
    if (first !== undefined) return first.response;
    const response = createIn(this.state, action, assigned);
    if (response.status === 201) this.state.idempotentRequests.set(keyOf(action), { action, response });
    return response;
  }

  /** Returns whether an earlier request used the same Idempotency-Key with a different payload. */
  private reusesKey(action: Create): boolean {
    const first = this.state.idempotentRequests.get(keyOf(action));
    return first !== undefined && payload(first.action) !== payload(action);
  }

  private alter(action: Change | Remove, { text }: Row): ExpectedResponse {
    if (action.ifMatch !== undefined && action.ifMatch !== '*' && action.ifMatch !== text)
      return refusal('precondition_failed');
    const refused =
      action.do === 'remove'
        ? removePetIn(this.state, action.id)
        : changeIn(this.state, action.of, action.id, action.fields);
    if (refused !== undefined) return refusal(refused);
    if (action.do === 'remove') return { status: 204, text: '' };
    const now = rowsOf(this.state, action.of, action.as).find(({ id }) => id === action.id)?.text ?? '';
    return { status: 200, text: now, representation: now };
  }
}

function keyOf({ as, idempotencyKey }: Create): string {
  return `${as} ${idempotencyKey}`;
}

/** Returns whether an identifier has the format and the range of those in a list. */
function couldName(of: Resource, id: string): boolean {
  if (!/^(0|-?[1-9][0-9]*)$/.test(id)) return false;
  return BigInt.asIntN(64, BigInt(id)) === BigInt(id) && (of === 'categories' || BigInt(id) > 0);
}

function isMalformed(action: Action): boolean {
  if (action.do === 'list')
    return (
      isUnknown(action, action.status) ||
      (action.limit !== undefined && !(action.limit >= 1 && action.limit <= HIGHEST_LIMIT))
    );
  return 'fields' in action && (action.fields.name === '' || isUnknown(action, action.fields.status));
}

function isUnknown({ of }: Action, status: string | null | undefined): boolean {
  return status !== undefined && status !== null && !STATUSES[of].includes(status);
}

/** The part of a request that must be equal for the same Idempotency-Key. */
function payload({ of, fields }: Create): string {
  return JSON.stringify([of, fields]);
}
