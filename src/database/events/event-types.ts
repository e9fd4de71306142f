import { Injectable, type Type } from '@nestjs/common';
import { DomainError } from '../../platform/errors/domain-error.js';
import { listed } from '../../platform/errors/error-codes.js';
import type { EventMap, EventName } from './domain-event.js';

const LONGEST_QUOTED = 40;

export type StateOf<Name extends EventName> = NonNullable<EventMap[Name]['before'] | EventMap[Name]['after']>;

/** What the log keeps of the events of one kind of resource, and who can read it. */
export interface EventDeclaration<Name extends EventName = EventName> {
  /** What each event means, by its name. */
  readonly types: Readonly<Record<Name, string>>;
  /** The scope that a key needs to read the resource, and so its events. */
  readonly scope: string;
  /** Identifies the resource, such as `pet:7`. Events with the same subject are kept, and delivered, in order. */
  readonly subject: (state: StateOf<Name>) => string;
  /** The resource as the API returns it. It is called with the last state. */
  readonly data: (state: StateOf<Name>) => object;
  /** The class of `data`, and an example, for the OpenAPI document. */
  readonly schema: Type;
  readonly example: { readonly subject: string; readonly data: object };
}

export interface EventType extends Omit<EventDeclaration, 'types'> {
  readonly name: string;
  readonly meaning: string;
}

/** The types of events that the log keeps. Features and extensions declare theirs with `Events.declare`. */
@Injectable()
export class EventTypes {
  /** The form of the name of a type. */
  static readonly NAME = /^[a-z][a-z0-9_-]*\.[a-z0-9_.-]+$/;
  static readonly MAX_NAME_LENGTH = 100;

  private readonly types = new Map<string, EventType>();

  get all(): Iterable<EventType> {
    return this.types.values();
  }

  declare({ types, ...declaration }: Omit<EventDeclaration, 'types'> & { readonly types: object }): void {
    for (const [name, meaning] of Object.entries(types) as [string, string][]) {
      if (!EventTypes.NAME.test(name) || name.length > EventTypes.MAX_NAME_LENGTH)
        throw new TypeError(
          `The name of the event ${JSON.stringify(name)} must look like "toy.lost" or "vet-visit.booked", with up to ${EventTypes.MAX_NAME_LENGTH} characters.`,
        );
      if (this.types.has(name)) throw new TypeError(`The event ${name} is declared twice.`);
      this.types.set(name, { ...declaration, name, meaning });
    }
  }

  get(name: string): EventType | undefined {
    return this.types.get(name);
  }

  /** The types that patterns such as `pet.*` stand for. */
  find(patterns: readonly string[]): EventType[] {
    return [...this.all].filter(({ name }) => patterns.some((pattern) => matches(pattern, name)));
  }

  /**
   * The same.
   * @throws DomainError `validation_failed` if a pattern stands for none
   */
  matching(patterns: readonly string[]): EventType[] {
    const unknown = patterns.find((pattern) => this.find([pattern]).length === 0);
    if (unknown === undefined) return this.find(patterns);
    const fault = `types must not have ${unknown.length > LONGEST_QUOTED ? 'a pattern' : `"${unknown}"`}, which stands for no type`;
    throw new DomainError('validation_failed', `${fault}. Types are ${listed([...this.types.keys()], ', ')}.`);
  }
}

/** Whether a pattern stands for an event: its name, all with a prefix (`pet.*`), or all (`*`). */
export function matches(pattern: string, name: string): boolean {
  return pattern === name || pattern === '*' || (pattern.endsWith('.*') && name.startsWith(pattern.slice(0, -1)));
}
