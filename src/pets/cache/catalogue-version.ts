import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Database, onTransactionEnd, RedisClient, SharedVersion } from '../../kernel.js';

export interface CatalogueState {
  /** Grows when pets are added. They have the highest identifiers, so only the last page of a list changes. */
  readonly additions: number;
  /** Grows when pets are changed or removed. */
  readonly changes: number;
}

/** Of data cached from a shared database. An instance that cannot notify the others delays its responses to writes by it. */
export const MAX_SHARED_AGE_MS = 80;

/** Tells whether cached data is current, without a query. Instances that share a database share the version in Redis. */
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
    this.shared =
      redis === undefined || database.isEmbedded ? undefined : new SharedVersion(redis, 'catalogue-version');
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
