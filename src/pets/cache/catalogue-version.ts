import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { RecurringTask } from '../../background/index.js';
import { Database } from '../../database/index.js';
import { RedisClient, type SharedVersion } from '../../redis/index.js';
import { INSERT_PETS } from '../pets.repository.js';

/** The version of the catalogue at which something was read. */
export interface CatalogueState {
  /** Grows when pets are added. They have the highest identifiers, so only the last page of a list changes. */
  readonly additions: number;
  /** Grows when pets are changed or removed. */
  readonly changes: number;
}

/**
 * Maximum age of data cached from a shared database, in milliseconds. An instance that cannot notify the others acknowledges
 * its writes after this time.
 */
export const MAX_SHARED_AGE_MS = 80;
/** How often an embedded database is checked for changes by other processes, in milliseconds. */
const POLL_INTERVAL_MS = 100;

/**
 * Tells whether cached data of the catalogue is current, without a query. Instances that share a database share the version in
 * Redis, which arrives with the admission of each request.
 */
@Injectable()
export class CatalogueVersion extends RecurringTask {
  private own: CatalogueState = { additions: 0, changes: 0 };
  /** Undefined while the database is unavailable. */
  private foreign: number | undefined;
  private readonly shared: SharedVersion | undefined;

  constructor(
    private readonly database: Database,
    @Inject(RedisClient) redis: RedisClient | undefined,
  ) {
    super('checking for changes of the catalogue', POLL_INTERVAL_MS, () => this.poll());
    this.shared = redis?.version;
    database.watch('pets', (statements) => this.grow(statements));
  }

  /** A read that begins now sees this version or a later one; undefined if other instances may write unnoticed. */
  get current(): CatalogueState | undefined {
    if (this.database.isEmbedded) return this.own;
    const version = this.shared?.current;
    return version === undefined ? undefined : { additions: version, changes: version };
  }

  override async onModuleInit(): Promise<void> {
    if (!this.database.isEmbedded) return;
    await this.run();
    this.start();
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

  /** Called before a write is acknowledged, whether the service or an extension wrote. */
  private async grow(statements: readonly string[]): Promise<void> {
    const part = statements.every((sql) => sql.startsWith(INSERT_PETS)) ? 'additions' : 'changes';
    this.own = { ...this.own, [part]: this.own[part] + 1 };
    if (this.database.isEmbedded || this.shared === undefined) return;
    if (!(await this.shared.bump())) await delay(MAX_SHARED_AGE_MS);
  }
}
