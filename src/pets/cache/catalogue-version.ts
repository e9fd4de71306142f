import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Database, onTransactionEnd } from '../../database/index.js';
import { RedisClient } from '../../platform/index.js';
import { SharedVersion } from './shared-version.js';

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

/**
 * Tells whether cached data of the catalogue is current, without a query. Instances that share a database share the version in
 * Redis, which arrives with the admission of each request.
 */
@Injectable()
export class CatalogueVersion {
  private own: CatalogueState = { additions: 0, changes: 0 };
  private readonly shared: SharedVersion | undefined;
  /** One function for each part, so that a transaction that changes many pets advances it once. */
  private readonly advances = {
    additions: () => this.advanceNow('additions'),
    changes: () => this.advanceNow('changes'),
  };

  constructor(
    private readonly database: Database,
    @Inject(RedisClient) redis: RedisClient | undefined,
  ) {
    this.shared = redis === undefined || database.isEmbedded ? undefined : new SharedVersion(redis);
  }

  /** A read that begins now sees this version or a later one; undefined if other instances may write unnoticed. */
  get current(): CatalogueState | undefined {
    if (this.database.isEmbedded) return this.own;
    const version = this.shared?.current;
    return version === undefined ? undefined : { additions: version, changes: version };
  }

  /** Call it after a write, before that is acknowledged. In a transaction it takes effect when that ends. */
  async advance(part: keyof CatalogueState): Promise<void> {
    if (this.database.isWriting) onTransactionEnd(this.advances[part]);
    else await this.advances[part]();
  }

  private async advanceNow(part: keyof CatalogueState): Promise<void> {
    this.own = { ...this.own, [part]: this.own[part] + 1 };
    if ((await this.shared?.bump()) === false) await delay(MAX_SHARED_AGE_MS);
  }
}
