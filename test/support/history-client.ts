import { AccountsService } from '../../src/accounts/accounts.service.js';
import { KeysService } from '../../src/accounts/keys/keys.service.js';
import type { IssuedKey } from '../../src/accounts/keys/key-responses.dto.js';
import type { UsageHistoryReport } from '../../src/accounts/usage/usage.dto.js';
import { UsageRecorder } from '../../src/rate-limit/history/usage-history.js';
import { FakeClock, startApp, type TestApp } from './app.js';
import { queryDatabase } from './databases.js';
import { ask } from './http.js';

const START = '2026-11-21T12:00:00.250Z';

/** A service with an account that makes requests and gets its history. */
export class HistoryClient {
  readonly clock = new FakeClock(Date.parse(START));
  service!: TestApp;
  owner!: IssuedKey;
  accountId!: number;
  private owners = 0;

  start = async (): Promise<void> => {
    this.service = await startApp({ clock: this.clock });
  };

  /** Forgets all requests, and switches to a new account. */
  reset = async (): Promise<void> => {
    this.clock.set(START);
    // Its timer would write between two requests of a test.
    await this.recorder.stop();
    await this.recorder.tryRun();
    await queryDatabase(this.service.folder, 'DELETE FROM "usage_history"');
    this.owner = await this.issue(`owner ${(this.owners += 1)}`);
    this.accountId = (await this.service.app.get(AccountsService).get(this.owner.account)).id;
  };

  /** Stops the service, and starts another on its database. */
  async restart(): Promise<void> {
    await this.service.stop({ keepData: true });
    this.service = await startApp({ clock: this.clock, folder: this.service.folder });
  }

  issue(account: string, perMinute = 1_000): Promise<IssuedKey> {
    const terms = { account, plan: 'enterprise', perMinute, perDay: 100_000 } as const;
    return this.service.app.get(KeysService).createKey(terms);
  }

  get recorder(): UsageRecorder {
    return this.service.app.get(UsageRecorder);
  }

  call = async (times: number, { key } = this.owner, path = '/v1/pets'): Promise<void> => {
    for (let n = 0; n < times; n += 1) await ask(this.service.port, { path, key });
  };

  getHistory(query = '', { key } = this.owner): Promise<Response> {
    return this.service.request(`/v1/usage/history${query}`, { key });
  }

  /** Returns the history of an account with all that was counted until now. */
  history = async (query = '', of = this.owner): Promise<UsageHistoryReport> => {
    await this.recorder.tryRun();
    const response = await this.getHistory(query, of);
    if (response.status !== 200) throw new Error(await response.text());
    return (await response.json()) as UsageHistoryReport;
  };

  items = async (query = '', of = this.owner) => (await this.history(query, of)).items;

  async rows(): Promise<number[]> {
    const sql = 'SELECT "requests" FROM "usage_history"';
    const rows = await queryDatabase<{ requests: number | string }>(this.service.folder, sql);
    return rows.map(({ requests }) => Number(requests));
  }

  /** @param values of rows, each in brackets */
  insert(values: readonly string[]): Promise<object[]> {
    return queryDatabase(this.service.folder, `INSERT INTO "usage_history" VALUES ${values.join()}`);
  }
}
