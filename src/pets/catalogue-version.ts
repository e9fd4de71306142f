import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { afterWrite, Database } from '../database/index.js';
import { SharedVersion } from '../redis/index.js';

/** What the catalogue was like when something was read from it. */
export interface CatalogueState {
  /** Grows when pets are added, which have the highest identifiers: only the last page of a list is another then. */
  readonly additions: number;
  /** Grows when pets are changed or removed. */
  readonly changes: number;
}

/**
 * Longest time, in milliseconds, for which what was read may be remembered. Alone: so that what somebody changed in the
 * database by hand shows after it. Shared: what an instance wrote that can't tell the others is told of after it.
 */
export const MAX_AGE_MS = { alone: 10_000, shared: 80 };

/**
 * Tells whether what was read from the catalogue is still true, without asking the database. Where instances share a
 * database, they also have to share a version of it in Redis, which comes with the admission of each request.
 */
@Injectable()
export class CatalogueVersion {
  private own: CatalogueState = { additions: 0, changes: 0 };

  constructor(
    private readonly database: Database,
    @Inject(SharedVersion) private readonly shared: SharedVersion | undefined,
  ) {}

  /** What every read that begins now finds, or something later; undefined where others may write unnoticed. */
  get current(): CatalogueState | undefined {
    if (this.database.isEmbedded) return this.own;
    const version = this.shared?.current;
    return version === undefined ? undefined : { additions: version, changes: version };
  }

  /** To be called in the transaction that adds pets. */
  add(): void {
    this.grow('additions');
  }

  /** To be called in the transaction that changes or removes pets. */
  change(): void {
    this.grow('changes');
  }

  private grow(part: keyof CatalogueState): void {
    afterWrite(async () => {
      this.own = { ...this.own, [part]: this.own[part] + 1 };
      if (this.database.isEmbedded || this.shared === undefined) return;
      if (!(await this.shared.bump())) await delay(MAX_AGE_MS.shared);
    });
  }
}
