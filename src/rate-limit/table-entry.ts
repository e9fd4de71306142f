export type Key = number | string;

/** Values of `journalIndex` below 0. */
export const ABSENT = -2;
export const UNCHANGED = -1;

/** One subject's state in a bounded table. Kept small: there may be a million. */
export abstract class TableEntry {
  /** Position among the changed entries of the journal; UNCHANGED, or ABSENT while in no table. */
  journalIndex = ABSENT;

  constructor(readonly key: Key) {}

  /** How much is lost with this entry; a full table parts with the least. */
  abstract get weight(): number;

  /** Whether nothing of it counts any more. */
  abstract isOver(nowSeconds: number): boolean;
}

/** An entry that can stand for several subjects, and is then at least as strict as each of them. */
export abstract class MergeableEntry<Self> extends TableEntry {
  /** Takes the higher count and the later window of both. */
  abstract absorb(other: Self, nowSeconds: number): void;
}
