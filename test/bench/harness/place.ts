/** Where a contender finds its catalogue, and counts. */
export interface Place {
  /** Variables that name it, as the service reads them. */
  readonly env: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

/** Where the original is made, and copies of it. */
export interface Places {
  readonly original: Readonly<Record<string, string>>;
  /** Runs SQL that every database understands, on the original. */
  run(sql: string): Promise<void>;
  /** Called once the original holds all. */
  copy(): Promise<Place>;
  remove(): Promise<void>;
}
