import { expect } from '@jest/globals';
import { KeysService } from '../../src/accounts/keys/keys.service.js';
import type { IssuedKey, KeyDetails } from '../../src/accounts/keys/key-responses.dto.js';
import type { NewKey } from '../../src/accounts/keys/key-options.js';
import { SCOPES } from '../../src/auth/keys/scopes.js';
import { FakeClock, startApp, type TestApp } from './app.js';
import { queryDatabase } from './databases.js';
import { errorOf } from './expectations.js';

/** Start time of each test. */
export const NOON = '2026-11-21T12:00:00.000Z';

/** The default scopes of a key. */
export const WITHOUT_MANAGE = SCOPES.filter((scope) => !scope.endsWith(':manage'));

/** Calls the service with the keys of one account at a time. */
export class KeysApi {
  readonly clock = new FakeClock();
  service!: TestApp;
  /** A key of the current account with all scopes. The default key of all calls. */
  manager!: IssuedKey;
  private accounts = 0;

  start = async (): Promise<void> => {
    this.service = await startApp({ clock: this.clock });
  };

  stop = (): Promise<void> => this.service.stop();

  reset = async (): Promise<void> => {
    this.clock.set(NOON);
    this.accounts += 1;
    this.manager = await this.issue({ scopes: SCOPES });
  };

  get account(): string {
    return `account ${this.accounts}`;
  }

  get operator(): KeysService {
    return this.service.app.get(KeysService);
  }

  /** Issues a key of the current account as an operator. */
  issue = (options: Partial<NewKey> = {}): Promise<IssuedKey> =>
    this.operator.createKey({ account: this.account, plan: 'business', ...options });

  create = (body: unknown = {}, as = this.manager.key): Promise<Response> =>
    this.service.post('/v1/keys', as, JSON.stringify(body));

  rotate = (id: string, body: unknown = {}, as = this.manager.key): Promise<Response> =>
    this.service.post(`/v1/keys/${id}/rotate`, as, JSON.stringify(body));

  revoke = (id: string, as = this.manager.key): Promise<Response> =>
    this.service.request(`/v1/keys/${id}`, { key: as, method: 'DELETE' });

  list = (query = '', as = this.manager.key): Promise<Response> =>
    this.service.request(`/v1/keys${query}`, { key: as });

  get = (id: string, as = this.manager.key): Promise<Response> => this.service.request(`/v1/keys/${id}`, { key: as });

  /** Returns the error code of a request with a key, or `ok`. */
  codeOf = (key: string): Promise<string> => codeOf(this.service, key);

  /** Returns the audit trail of a key, oldest first: action and actor. */
  trail = async (id: string): Promise<string[]> => {
    const select = `SELECT action, actor FROM audit_records WHERE key_id = '${id}' ORDER BY id`;
    const rows = await queryDatabase<{ action: string; actor: string }>(this.service.folder, select);
    return rows.map(({ action, actor }) => `${action} by ${actor}`);
  };
}

/** Returns the error code of a request with a key to an instance, or `ok`. */
export async function codeOf(instance: TestApp, key: string): Promise<string> {
  const response = await instance.request('/v1/pets', { key });
  return response.ok ? 'ok' : (await errorOf(response)).code;
}

export async function created(response: Response): Promise<IssuedKey> {
  const text = await response.text();
  expect({ status: response.status, text }).toMatchObject({ status: 201 });
  return JSON.parse(text) as IssuedKey;
}

export async function keyIn(response: Response): Promise<KeyDetails> {
  expect(response.status).toBe(200);
  return (await response.json()) as KeyDetails;
}
