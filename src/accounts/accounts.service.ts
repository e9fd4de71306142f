import { Injectable } from '@nestjs/common';
import { Account } from '../auth/keys/account.entity.js';
import { KeyChanges } from '../auth/keys/api-keys.repository.js';
import { audit, type AuditAction, type AuditEntry, readAudit } from '../auth/keys/audit-record.entity.js';
import { type CustomLimits, type Limits, limitsOf, NO_OTHER_LIMITS, type PlanName } from '../auth/keys/plan.js';
import { Database } from '../database/database.js';
import { lockUntilCommit } from '../database/locks.js';
import { OldRows } from '../database/old-rows.js';
import { query } from '../database/statements.js';
import { onTransactionEnd } from '../database/transaction.js';
import { Clock, rfc3339 } from '../platform/config/clock.js';
import { accountIdIn, type AccountSummary, findAccount, getAccount, noAccount, summariseAccounts } from './accounts.js';
import { checkLimits, invalid, planTerms } from './keys/key-options.js';
import { KeysService } from './keys/keys.service.js';

/** By then, no request of a suspended account is under way that could store something of it. */
const SUSPENDED_FOR_MS = 60_000;
/** Of one text of an export. */
const MOST_ROWS = 1_000;

/** Rows of a table that belong to an account. */
export interface AccountTable {
  readonly table: string;
  /** A condition on the rows of the account with an identifier, in SQL. */
  readonly of: (id: number) => string;
  /** With the account. What can be many rows goes before, in batches. Default: at once. */
  readonly deleted?: 'never' | 'in batches';
  /** A condition on rows that must be ended before, in SQL. */
  readonly isOpen?: string;
  /** What those take who write such rows later. */
  readonly lock?: string;
  /** Columns that an export leaves out, because they have secrets or hashes. */
  readonly hidden?: readonly string[];
}

/**
 * What operators do with accounts, found by name or identifier. Changes are in effect in this process at the end of the
 * transaction, in others within a second.
 * @throws (rejects) DomainError `validation_failed` if there is no such account, or the operation is not possible
 */
@Injectable()
export class AccountsService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly keys: KeysService,
    private readonly changes: KeyChanges,
    private readonly rows: OldRows,
  ) {}

  get(name: string): Promise<Account> {
    return getAccount(this.database.manager, name);
  }

  list(): Promise<AccountSummary[]> {
    return summariseAccounts(this.database.manager, this.clock.nowMs());
  }

  /** @param name also the identifier of an account that was deleted: its records remain */
  async readAudit(name?: string): Promise<AuditEntry[]> {
    const { manager } = this.database;
    if (name === undefined) return readAudit(manager);
    const account = await findAccount(manager, name);
    const records = await readAudit(manager, account?.id ?? accountIdIn(name) ?? 0);
    if (account === undefined && records.length === 0) throw noAccount(name);
    return records;
  }

  /** Refuses all keys of an account, new ones too. @param reason for operators only */
  suspend(name: string, reason: string): Promise<Account> {
    return this.change(
      name,
      'account.suspended',
      ({ suspendedAt }, atMs) => ({ suspendedAt: suspendedAt ?? atMs }),
      reason,
    );
  }

  resume(name: string): Promise<Account> {
    return this.change(name, 'account.resumed', (account) => {
      if (account.suspendedAt === null) throw invalid(`The account "${account.name}" is not suspended.`);
      return { suspendedAt: null };
    });
  }

  /** Changes the plan of an account, and ends other limits; Enterprise requires both limits. @returns the new limits */
  changePlan(name: string, plan: PlanName, custom: CustomLimits): Promise<Limits> {
    return this.keys.operate(async (operation) => {
      const to = planTerms(plan, custom);
      const account = await this.get(name);
      const from = { plan: account.plan, perMinute: account.perMinute, perDay: account.perDay };
      await operation.manager.update(Account, account.id, { ...to, ...NO_OTHER_LIMITS });
      await this.record(operation, 'account.plan_changed', account, { from, to });
      return limitsOf(to);
    });
  }

  /** Gives an account other limits until a time, in Unix time in milliseconds, or a change of its plan. */
  limit(name: string, custom: Partial<Limits>, untilMs: number): Promise<Account> {
    return this.change(name, 'account.limits_changed', (account, atMs) => {
      if (untilMs <= atMs) throw invalid('The limits must end in the future.');
      const { perMinute: otherPerMinute, perDay: otherPerDay } = { ...limitsOf(account), ...custom };
      checkLimits(otherPerMinute, otherPerDay);
      return { otherPerMinute, otherPerDay, otherUntil: untilMs };
    });
  }

  /** The text of one JSON object: the rows by table, without secrets. */
  async *export(name: string, tables: readonly AccountTable[]): AsyncGenerator<string> {
    const { manager } = this.database;
    const { id } = await this.get(name);
    for (const [index, { table, of, hidden = [] }] of tables.entries()) {
      const rows = await query<object>(manager, `SELECT * FROM "${table}" WHERE ${of(id)}`);
      yield `${index === 0 ? '{' : ','}"${table}":[`;
      // All rows of an account can be more than one string can have.
      for (let from = 0; from < rows.length; from += MOST_ROWS) {
        const json = JSON.stringify(rows.slice(from, from + MOST_ROWS), (column, value: unknown) =>
          hidden.includes(column) ? undefined : value,
        );
        yield (from === 0 ? '' : ',') + json.slice(1, -1);
      }
      yield ']';
    }
    yield '}';
  }

  /** Deletes a suspended account and what is stored of it. Audit records remain. If it is interrupted, repeat it. */
  async delete(name: string, tables: readonly AccountTable[]): Promise<Account> {
    const { id } = await this.getDeletable(name, tables);
    const { signal } = new AbortController();
    for (const { table, of, deleted } of tables)
      if (deleted === 'in batches') await this.rows.delete(table, of(id), [], signal);
    return this.keys.operate(async (operation) => {
      const { manager } = operation;
      const account = await this.getDeletable(name, tables);
      for (const { lock } of tables) if (lock !== undefined) await lockUntilCommit(manager, lock);
      for (const { table, of, deleted } of tables)
        if (deleted !== 'never') await query(manager, `DELETE FROM "${table}" WHERE ${of(account.id)}`);
      await this.record(operation, 'account.deleted', account, { name: account.name });
      return account;
    });
  }

  private async getDeletable(name: string, tables: readonly AccountTable[]): Promise<Account> {
    const { manager } = this.database;
    const account = await this.get(name);
    const sinceMs = account.suspendedAt;
    if (sinceMs === null) throw invalid(`The account "${account.name}" is not suspended. Suspend it first.`);
    if (this.clock.nowMs() < sinceMs + SUSPENDED_FOR_MS)
      throw invalid(`Requests may still be in progress. Try again after ${rfc3339(sinceMs + SUSPENDED_FOR_MS)}.`);
    for (const { table, of, isOpen } of tables) {
      if (isOpen === undefined) continue;
      const open = await query(manager, `SELECT 1 FROM "${table}" WHERE ${of(account.id)} AND ${isOpen} LIMIT 1`);
      if (open.length > 0)
        throw invalid(`The account "${account.name}" has open ${table}. Resume it, and complete or cancel them first.`);
    }
    return account;
  }

  private change(
    name: string,
    action: AuditAction,
    changesOf: (account: Account, atMs: number) => Partial<Account>,
    reason?: string,
  ): Promise<Account> {
    return this.keys.operate(async (operation) => {
      const account = await this.get(name);
      const changes = changesOf(account, operation.atMs);
      await operation.manager.update(Account, account.id, changes);
      await this.record(operation, action, account, { ...changes, reason });
      return { ...account, ...changes };
    });
  }

  private record(operation: Parameters<typeof audit>[0], action: AuditAction, { id }: Account, detail: object) {
    onTransactionEnd(() => this.changes.announce({ accountId: id, keyId: null }));
    return audit(operation, action, id, null, detail);
  }
}
