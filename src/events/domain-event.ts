/**
 * What each event tells of, by its name. Features declare theirs by merging into this interface, as `pets/pet.events.ts`
 * does.
 */
export interface EventMap {}

/** The state before and after; undefined before something was created, and after it was removed. */
export interface Change<Before, After> {
  readonly before: Before;
  readonly after: After;
}

export type EventName = keyof EventMap & string;

/** Something that was done, once it is committed; within its transaction, something that is about to be. */
export interface DomainEvent<Name extends EventName = EventName> {
  /** Unique, for consumers that may get an event more than once. */
  readonly id: string;
  readonly name: Name;
  /** Unix time in milliseconds. */
  readonly atMs: number;
  /** Who did it, as audit records name it: the id of an API key, `cli:<system user>` or `first-run`; undefined if not told. */
  readonly actor: string | undefined;
  readonly before: EventMap[Name]['before'];
  readonly after: EventMap[Name]['after'];
}
