import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { Account } from '../../src/auth/keys/account.entity.js';
import { AuditRecord } from '../../src/auth/keys/audit-record.entity.js';
import { UsageHistory } from '../../src/rate-limit/history/usage-history.js';
import { AccountsService } from '../../src/accounts/accounts.service.js';
import { KeysService } from '../../src/accounts/keys/keys.service.js';
import { ApiKey } from '../../src/auth/keys/api-key.entity.js';
import { EventsModule } from '../../src/database/events/events.js';
import type { NewKey } from '../../src/accounts/keys/key-options.js';
import { AuthModule } from '../../src/auth/auth.module.js';
import { BearerGuard } from '../../src/auth/bearer.guard.js';
import { KeyVerifier } from '../../src/auth/authentication/key-verifier.js';
import { ConfigModule } from '../../src/platform/config/config.module.js';
import { loadEnv } from '../../src/platform/config/load-env.js';
import { Database } from '../../src/database/database.js';
import { DatabaseModule } from '../../src/database/database.module.js';
import { KeyChangesPoller } from '../../src/auth/authentication/key-changes.poller.js';
import { LastUsedTracker } from '../../src/auth/authentication/last-used-tracker.js';
import { FakeClock } from '../../src/testing/fake-clock.js';
import { makeFolder, openDatabase, PATIENT, removeDatabase } from './databases.js';

/** The accounts and keys of one service instance, on a real database. Its background tasks do not run. */
export type AuthInstance = Awaited<ReturnType<AuthBench['open']>>;

type AuditEntry = Pick<AuditRecord, 'action' | 'actor' | 'at' | 'keyId'>;

const START_MS = Date.parse('2026-11-21T12:00:00Z');

/** A separate database for a spec, which several instances can share. Another one after each removal. */
export class AuthBench {
  readonly clock = new FakeClock(START_MS);
  private directory: string | undefined;
  private readonly opened: { close(): Promise<void> }[] = [];

  async open() {
    this.directory ??= makeFolder();
    const env = loadEnv({ ...PATIENT, DATABASE_URL: await openDatabase(this.directory) });
    const imports = [
      ConfigModule.forRoot(env, this.clock),
      DatabaseModule.forRoot(env, { entities: [Account, AuditRecord, ApiKey] }),
      AuthModule,
      EventsModule,
    ];
    const providers = [AccountsService, KeysService, UsageHistory];
    const module = await Test.createTestingModule({ imports, providers }).compile();
    const keys = module.get(KeysService);
    const database = module.get(Database);
    const instance = {
      context: module,
      keys,
      accounts: module.get(AccountsService),
      guard: module.get(BearerGuard),
      verifier: module.get(KeyVerifier),
      poller: module.get(KeyChangesPoller),
      lastUse: module.get(LastUsedTracker),
      database,
      /** Creates a key, for the account `acme` by default. */
      issue: (newKey: Partial<NewKey> = {}) => keys.createKey({ account: 'acme', plan: 'pro', ...newKey }),
      /** The audit trail, oldest record first. */
      async audited(): Promise<AuditEntry[]> {
        const records = await database.manager.find(AuditRecord, { order: { id: 'ASC' } });
        return records.map(({ action, actor, at, keyId }) => ({ action, actor, at, keyId }));
      },
      close: () => module.close(),
    };
    this.opened.push(instance);
    return instance;
  }

  /** Returns an entry for the audit trail, with the current time and no known actor. */
  record(action: AuditEntry['action'], keyId: string | null): AuditEntry {
    return { action, actor: 'unknown', at: this.clock.nowMs(), keyId };
  }

  async remove(): Promise<void> {
    for (const instance of this.opened.splice(0)) await instance.close();
    if (this.directory !== undefined) await removeDatabase(this.directory);
    this.directory = undefined;
    this.clock.ms = START_MS;
  }
}

/** Gives each test a database with a service; both objects returned stay the same. */
export function authForEachTest(): { readonly bench: AuthBench; readonly service: AuthInstance } {
  return authBetween(beforeEach, afterEach);
}

/** Gives all tests of a file one database with a service. */
export function shareAuth(): { readonly bench: AuthBench; readonly service: AuthInstance } {
  return authBetween(beforeAll, afterAll);
}

function authBetween(before: typeof beforeAll, after: typeof afterAll) {
  const bench = new AuthBench();
  const service = {} as AuthInstance;
  before(async () => void Object.assign(service, await bench.open()));
  after(() => bench.remove());
  return { bench, service };
}
