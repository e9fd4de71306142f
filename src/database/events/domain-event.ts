import type { Principal } from './actor.js';

/** The events by name. Features declare theirs by merging into this interface, like `PetEvents`. */
export interface EventMap {}

/** `before` is undefined for a creation, `after` for a removal. */
export interface Change<Before, After> {
  readonly before: Before;
  readonly after: After;
}

export type EventName = keyof EventMap & string;

/** One type of event, all with a prefix, such as `pet.*`, or all. */
export type EventPattern =
  | EventName
  | { [Name in EventName]: Name extends `${infer Prefix}.${string}` ? `${Prefix}.*` : never }[EventName]
  | '*';

/**
 * A change of the domain. In its transaction it is not committed yet; afterwards it is. The actor is the id of an API key,
 * `cli:<system user>` or the name in `runAs`; undefined if unknown.
 */
export interface DomainEvent<Name extends EventName = EventName> extends Principal {
  /** Unique, so that consumers can detect duplicates. */
  readonly id: string;
  readonly name: Name;
  readonly atMs: number;
  readonly before: EventMap[Name]['before'];
  readonly after: EventMap[Name]['after'];
}

/** An event that a pattern stands for; its `name` tells which. */
export type EventOf<Pattern extends EventPattern> = {
  [Name in EventName]: Name extends (
    Pattern extends '*' ? string : Pattern extends `${infer Prefix}.*` ? `${Prefix}.${string}` : Pattern
  )
    ? DomainEvent<Name>
    : never;
}[EventName];
