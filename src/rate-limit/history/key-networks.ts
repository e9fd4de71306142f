import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../auth/caller.js';
import { Database } from '../../database/database.js';
import { ofExistingAccounts, placeholders, query } from '../../database/statements.js';
import { onCommit } from '../../database/transaction.js';
import { WriteBehind } from '../../database/write-behind.js';
import { Clock, rfc3339 } from '../../platform/config/clock.js';
import { RecurringTask } from '../../platform/recurring-task.js';
import { networkOf, rateLimitKey } from '../counter-store.js';
import { DAY_SECONDS, startOfHour } from '../windows/usage.js';

const WRITE_INTERVAL_MS = 1_000;
/** What one customer gets: a /64 would count each of their sites or devices. */
const IPV6_PREFIX = 48;
/** Of a key and an hour. More are this many. */
const MOST_NETWORKS = 256;
/** Of all keys in an hour, in memory. More are not counted. */
const MOST_IN_MEMORY = 100_000;
/** What is unusual: so many times the most of an hour before, and so many at least. */
const UNUSUAL_FACTOR = 5;
const LEAST_UNUSUAL = 10;
const LEAST_WITHOUT_HISTORY = 50;
const USUAL_SECONDS = 7 * DAY_SECONDS;

const mostNetworks = (hours: '<' | '=') => `COALESCE(MAX(CASE WHEN "hour" ${hours} ? THEN "networks" END), 0)`;

type Row = Pick<Caller, 'accountId' | 'account' | 'keyId'> & { readonly hour: number; readonly networks: number };
type Seen = { readonly networks: Set<string>; lastIp: string };

/**
 * Counts the networks from which each key is used, by hour, so that an operator sees a key that leaked. Only the numbers
 * are stored, not the networks. Of several instances, the largest number counts.
 */
@Injectable()
export class KeyNetworks extends RecurringTask {
  private readonly logger = new Logger('KeyNetworks');
  private readonly rows = new WriteBehind<string, Row>('key_networks', MOST_IN_MEMORY);
  /** Of this hour, by key. */
  private readonly seen = new Map<string, Seen>();
  private count = 0;
  private hour = 0;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super('writing the networks of keys', WRITE_INTERVAL_MS, () => this.write(), { runsAtStop: true });
  }

  /** @param ip of an admitted request; undefined if the client has closed the connection */
  add({ accountId, account, keyId }: Caller, ip: string | undefined): void {
    const hour = startOfHour(this.clock.nowSeconds());
    if (hour !== this.hour) {
      this.seen.clear();
      this.count = 0;
      this.hour = hour;
    }
    const seen: Seen = this.seen.get(keyId) ?? { networks: new Set(), lastIp: '' };
    if (ip === undefined || ip === seen.lastIp || this.count >= MOST_IN_MEMORY) return;
    seen.lastIp = ip;
    const { size } = seen.networks;
    if (size < MOST_NETWORKS) seen.networks.add(networkOf(rateLimitKey(ip, IPV6_PREFIX)));
    if (seen.networks.size === size) return;
    this.seen.set(keyId, seen);
    this.count += 1;
    this.rows.add(`${keyId} ${hour}`, { accountId, account, keyId, hour, networks: size + 1 });
  }

  private async write(): Promise<void> {
    await this.rows.write(this.database, async (manager, chunk) => {
      const rows = await ofExistingAccounts(manager, chunk);
      if (rows.length === 0) return;
      for (const row of rows) if (row.networks >= LEAST_UNUSUAL) await this.warnIfUnusual(manager, row);
      const values = rows.map(({ accountId, keyId, hour, networks }) => [accountId, keyId, hour, networks]);
      const sql = `
        INSERT INTO "key_networks" ("account_id", "key_id", "hour", "networks") VALUES ${values.map(placeholders).join()}
        ON CONFLICT ("account_id", "key_id", "hour") DO UPDATE SET "networks" = excluded."networks"
        WHERE excluded."networks" > "key_networks"."networks"`;
      await query(manager, sql, values.flat());
    });
  }

  /** Once a key and an hour: not if the number that is stored, whichever instance wrote it, was unusual too. */
  private async warnIfUnusual(manager: EntityManager, { hour, networks, ...key }: Row): Promise<void> {
    const sql = `
      SELECT ${mostNetworks('<')} AS "usual", ${mostNetworks('=')} AS "stored" FROM "key_networks"
      WHERE "account_id" = ? AND "key_id" = ? AND "hour" BETWEEN ? AND ?`;
    const parameters = [hour, hour, key.accountId, key.keyId, hour - USUAL_SECONDS, hour];
    const [found] = await query<{ usual: number; stored: number }>(manager, sql, parameters);
    const { usual, stored } = found ?? { usual: 0, stored: 0 };
    const least = usual === 0 ? LEAST_WITHOUT_HISTORY : Math.max(LEAST_UNUSUAL, UNUSUAL_FACTOR * usual);
    if (networks < least || stored >= least) return;
    const line = { ...key, networks, usual, hour: rfc3339(hour * 1_000) };
    onCommit(() => this.logger.warn({ message: 'API key used from unusually many networks', ...line }));
  }
}
