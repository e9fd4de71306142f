import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { RecurringTask } from '../background/index.js';
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
 * Longest time, in milliseconds, for which what was read from a shared database may be remembered: what an instance wrote
 * that can't tell the others is told of after it.
 */
export const MAX_SHARED_AGE_MS = 80;
/** How often an embedded database is asked whether somebody has changed it by hand, in milliseconds. */
const POLL_INTERVAL_MS = 100;

/**
 * Tells whether what was read from the catalogue is still true, without asking the database. Where instances share a
 * database, they also have to share a version of it in Redis, which comes with the admission of each request.
 */
@Injectable()
export class CatalogueVersion implements OnModuleInit, OnApplicationShutdown {
  private own: CatalogueState = { additions: 0, changes: 0 };
  /** Undefined while the database can't be asked. */
  private foreign: number | undefined;
  private readonly task = new RecurringTask('looking for changes of the catalogue', POLL_INTERVAL_MS, () => this.poll());

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

  async onModuleInit(): Promise<void> {
    if (!this.database.isEmbedded) return;
    await this.task.run();
    this.task.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.task.stop();
  }

  private async poll(): Promise<void> {
    const before = this.foreign;
    this.foreign = undefined;
    try {
      this.foreign = await this.database.foreignVersion();
    } finally {
      if (this.foreign !== before) this.own = { additions: this.own.additions + 1, changes: this.own.changes + 1 };
    }
  }

  private grow(part: keyof CatalogueState): void {
    afterWrite(async () => {
      this.own = { ...this.own, [part]: this.own[part] + 1 };
      if (this.database.isEmbedded || this.shared === undefined) return;
      if (!(await this.shared.bump())) await delay(MAX_SHARED_AGE_MS);
    });
  }
}
