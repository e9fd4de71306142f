/** The databases of one contender: its catalogue and its counters. */
export interface Place {
  /** Environment variables of the service that point to them. */
  readonly env: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

/** Creates the original database and copies of it. */
export interface Places {
  readonly original: Readonly<Record<string, string>>;
  /** Runs SQL that every supported database understands on the original. */
  run(sql: string): Promise<void>;
  /** Call this after the original is complete. */
  copy(): Promise<Place>;
  remove(): Promise<void>;
}
