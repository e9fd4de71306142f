import { type Action, type Change, type Create, type List, PATHS, type Remove, type Room } from './shop-actions.js';
import { NOT_FOUND, refusal, shown } from './shop-answers.js';
import { changeIn, createIn, type Given, removePetIn } from './shop-changes.js';
import { type Answer, emptyShop, type Row, rowsOf, type ShopState } from './shop-state.js';

const STATUSES: Readonly<Record<Room, readonly string[]>> = { pets: ['available', 'pending', 'sold'], categories: [], orders: ['placed', 'approved', 'delivered', 'cancelled'] };
const DEFAULT_LIMIT = 20;
const HIGHEST_LIMIT = 100;

/** The rules of the catalogue and the store, read literally: what each request should be answered. */
export class ShopModel {
  constructor(private readonly state: ShopState = emptyShop()) {}

  copy(): ShopModel {
    return new ShopModel(structuredClone(this.state));
  }

  /** The requests with an Idempotency-Key that succeeded. */
  get kept(): Create[] {
    return [...this.state.kept.values()].map(({ action }) => action);
  }

  /**
   * Does what is asked for.
   * @param given what the shop says to have given, such as an identifier; whether it may is looked at
   */
  answer(action: Action, given: Given = {}): Answer {
    if ('id' in action && !couldName(action.of, action.id)) return refusal(NOT_FOUND[action.of]);
    if (isMalformed(action)) return refusal('validation_failed');
    if (action.do === 'list') return this.list(action);
    if (action.do === 'create') return this.createOnce(action, given);
    const row = rowsOf(this.state, action.of, action.as).find(({ id }) => id === action.id);
    if (row === undefined) return refusal(NOT_FOUND[action.of]);
    return action.do === 'get' ? shown({ status: 200, text: row.text, shows: row.text }, action.ifNoneMatch) : this.alter(action, row);
  }

  private list({ of, as, limit = DEFAULT_LIMIT, status, after, ifNoneMatch }: List): Answer {
    const rows = rowsOf(this.state, of, as)
      .filter((row) => status === undefined || row.status === status)
      .filter(({ id }) => after === undefined || BigInt(id) > BigInt(after));
    const page = rows.slice(0, limit);
    const text = `[${page.map((row) => row.text).join()}]`;
    const last = rows.length > limit ? page.at(-1)?.id : undefined;
    if (last === undefined) return shown({ status: 200, text, shows: text }, ifNoneMatch);
    const filter = status === undefined ? '' : `status=${status}&`;
    return shown({ status: 200, text, shows: `${text}${last}`, link: `<${PATHS[of]}?limit=${limit}&${filter}after=${last}>; rel="next"` }, ifNoneMatch);
  }

  private createOnce(action: Create, given: Given): Answer {
    if (action.idempotencyKey === undefined) return createIn(this.state, action, given);
    const name = `${action.as} ${action.idempotencyKey}`;
    const kept = this.state.kept.get(name);
    if (kept !== undefined) return sent(kept.action) === sent(action) ? kept.answer : refusal('idempotency_key_reused');
    const answer = createIn(this.state, action, given);
    if (answer.status === 201) this.state.kept.set(name, { action, answer });
    return answer;
  }

  private alter(action: Change | Remove, { text }: Row): Answer {
    if (action.ifMatch !== undefined && action.ifMatch !== '*' && action.ifMatch !== text) return refusal('precondition_failed');
    const refused = action.do === 'remove' ? removePetIn(this.state, action.id) : changeIn(this.state, action.of, action.id, action.fields);
    if (refused !== undefined) return refusal(refused);
    if (action.do === 'remove') return { status: 204, text: '' };
    const now = rowsOf(this.state, action.of, action.as).find(({ id }) => id === action.id)?.text ?? '';
    return { status: 200, text: now, shows: now };
  }
}

/** Whether an identifier has the form, and lies in the range, of those in a list. */
function couldName(of: Room, id: string): boolean {
  if (!/^(0|-?[1-9][0-9]*)$/.test(id)) return false;
  return BigInt.asIntN(64, BigInt(id)) === BigInt(id) && (of === 'categories' || BigInt(id) > 0);
}

function isMalformed(action: Action): boolean {
  if (action.do === 'list') return isUnknown(action, action.status) || (action.limit !== undefined && !(action.limit >= 1 && action.limit <= HIGHEST_LIMIT));
  return 'fields' in action && (action.fields.name === '' || isUnknown(action, action.fields.status));
}

function isUnknown({ of }: Action, status: string | null | undefined): boolean {
  return status !== undefined && status !== null && !STATUSES[of].includes(status);
}

/** What of a request must be the same where its Idempotency-Key is. */
function sent({ of, fields }: Create): string {
  return JSON.stringify([of, fields]);
}
