import {
  type Action,
  type Change,
  type Create,
  type Fields,
  type Get,
  type List,
  pathOf,
  PATHS,
  type Remove,
  type Resource,
} from './actions.js';
import type { KnownId, ClientHistory } from './client-history.js';

const CATEGORIES = ['1', '2', '7', '-4', '9007199254740993', '9223372036854775807', '-9223372036854775808'];
const UNKNOWN = ['0', '01', '-1', 'x', '404404404', '9223372036854775806', '9223372036854775808'];
const UNKNOWN_PETS = ['404404404', '9007199254740993', '9223372036854775807'];
const PET_STATUSES = ['available', 'available', 'available', 'pending', 'sold', null];
const ORDER_STATUSES = ['approved', 'approved', 'delivered', 'cancelled', 'placed', 'placed'];
const LIMITS = [undefined, undefined, 1, 2, 3, 7, 20, 50, 100];
const NAME_ENDS = ['', '', ' 😀', ' "q" \\', ' é'];
/** The number of latest resources that are chosen more often than earlier ones. */
const RECENT = 12;

export interface ClientOptions {
  /** Prefix of the names that the client sends. */
  readonly name: string;
  /** A category that no other client uses. */
  readonly category: string;
  /** True if no other client writes at the same time, so that the run can also check lists and shared categories. */
  readonly isAlone: boolean;
}

/** Generates random requests of a client, mostly about resources in its history. */
export class ActionGenerator {
  private count = 0;

  /** @param below returns a random integer from 0 to `end` - 1 */
  constructor(
    private readonly history: ClientHistory,
    private readonly below: (end: number) => number,
    private readonly options: ClientOptions,
  ) {}

  next(): Action {
    const of = this.pick(['pets', 'pets', 'pets', 'orders', 'orders', 'orders', 'categories'] as const);
    const dice = this.below(this.options.isAlone ? 12 : 10);
    if (dice < 3) return this.create(of);
    if (dice === 3 && of === 'pets') return this.remove();
    if (dice < 8) return this.change(of);
    return dice < 10 ? this.get(of) : this.list(of);
  }

  private create(of: Resource): Create {
    const action: Create = { do: 'create', as: this.below(2), of, fields: this.newFields(of) };
    const earlier = this.one(this.history.keyed);
    const dice = this.below(10);
    if (earlier !== undefined && dice === 0)
      return { ...action, as: earlier.as, idempotencyKey: earlier.idempotencyKey };
    if (earlier !== undefined && dice < 3) return earlier;
    return dice < 6 ? { ...action, idempotencyKey: `${this.options.name} sends ${++this.count}` } : action;
  }

  private newFields(of: Resource): Fields {
    if (of === 'orders')
      return {
        petId: this.isRare()
          ? this.pick(UNKNOWN_PETS)
          : (this.one(this.history.known.pets)?.id ?? this.pick(UNKNOWN_PETS)),
      };
    const name = this.newName();
    if (of === 'categories')
      return this.options.isAlone
        ? { name, ...this.pick([{}, { id: this.pick(CATEGORIES) }]) }
        : { name, id: this.options.category };
    const status = this.petStatus();
    return { name, categoryId: this.petCategory(), ...(status === null ? {} : { status }) };
  }

  private change(of: Resource): Change {
    const subject = this.subject(of);
    return {
      do: 'change',
      of,
      ...subject,
      fields: this.changedFields(of),
      ifMatch: this.etagCondition(`${PATHS[of]}/${subject.id}`),
    };
  }

  private changedFields(of: Resource): Fields {
    if (of === 'orders') return { status: this.isRare() ? 'lost' : this.pick(ORDER_STATUSES) };
    const name = this.below(2) === 0 ? { name: this.newName() } : {};
    if (of === 'categories') return name;
    const category = this.below(3) === 0 ? { categoryId: this.petCategory() } : {};
    return { ...name, ...category, ...(this.below(3) > 0 ? { status: this.petStatus() } : {}) };
  }

  private remove(): Remove {
    const subject = this.subject('pets');
    return { do: 'remove', of: 'pets', ...subject, ifMatch: this.etagCondition(`${PATHS.pets}/${subject.id}`) };
  }

  private get(of: Resource): Get {
    const subject = this.subject(of);
    return { do: 'get', of, ...subject, ifNoneMatch: this.etagCondition(`${PATHS[of]}/${subject.id}`) };
  }

  private list(of: Resource): List {
    const status = { pets: this.petStatus() ?? undefined, orders: this.pick(ORDER_STATUSES), categories: undefined }[
      of
    ];
    const after = this.below(3) === 0 ? this.one(this.history.known[of])?.id : undefined;
    const list: List = {
      do: 'list',
      as: this.below(2),
      of,
      limit: this.isRare() ? this.pick([0, 101]) : this.pick(LIMITS),
      status: this.below(2) === 0 ? status : undefined,
      after,
    };
    return { ...list, ifNoneMatch: this.etagCondition(pathOf(list)) };
  }

  /** The resource to read or change; sometimes an order of the other account. */
  private subject(of: Resource): KnownId {
    const as = this.below(2);
    if (this.isRare()) return { as, id: this.pick(UNKNOWN) };
    if (of === 'categories') return { as, id: this.category() };
    const known = this.one(this.history.known[of]);
    if (known === undefined) return { as, id: this.pick(UNKNOWN) };
    return of === 'pets' || this.below(8) === 0 ? { as, id: known.id } : known;
  }

  /** A value for If-Match or If-None-Match, sometimes outdated. */
  private etagCondition(path: string): string | undefined {
    const dice = this.below(20);
    if (dice < 8) return this.history.representations.get(path);
    return dice === 8 ? '*' : dice === 9 ? this.pick([...this.history.representations.values(), '*']) : undefined;
  }

  private category(): string {
    const { isAlone, category } = this.options;
    return isAlone ? (this.one(this.history.known.categories)?.id ?? category) : category;
  }

  private petCategory(): string {
    return this.below(3) === 0 ? this.options.category : this.pick(CATEGORIES);
  }

  private petStatus(): string | null {
    return this.isRare() ? 'lost' : this.pick(PET_STATUSES);
  }

  private newName(): string {
    return this.isRare() ? '' : `${this.options.name} ${++this.count}${this.pick(NAME_ENDS)}`;
  }

  private isRare(): boolean {
    return this.below(30) === 0;
  }

  /** A random element, more often a recent one. */
  private one<T>(all: readonly T[]): T | undefined {
    const some = this.below(5) === 0 ? all : all.slice(-RECENT);
    return some[this.below(Math.max(some.length, 1))];
  }

  private pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }
}
