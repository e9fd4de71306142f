import { type TestApp, FakeClock, startApp } from '../../support/app.js';
import { KeysService } from '../../../src/accounts/keys/keys.service.js';
import { SCOPES } from '../../../src/auth/keys/scopes.js';
import { webhookSettings } from '../../support/webhook-settings.js';

export const PET = '{"name":"Bella","categoryId":1,"status":"available"}';

/** Nothing listens there. */
export const WEBHOOK = '{"url":"http://127.0.0.1:1/","types":["webhook.*"]}';

const ENV = webhookSettings(1);

const ALMIGHTY = { account: 'almighty', plan: 'business', scopes: SCOPES } as const;

/** The service under test, with two pets, two categories and two webhooks. */
class Subject {
  readonly clock = new FakeClock();
  service!: TestApp;
  key!: string;
  private spare = '';

  async start(): Promise<void> {
    this.service = await startApp({ clock: this.clock, env: ENV });
    this.key = await this.service.key(ALMIGHTY);
    for (let n = 1; n <= 2; n += 1) await this.service.post('/v1/pets', this.key, PET);
    for (let n = 1; n <= 2; n += 1) await this.service.post('/v1/categories', this.key, `{"name":"Dogs","id":${n}}`);
    for (let n = 1; n <= 2; n += 1) await this.service.post('/v1/webhooks', this.key, WEBHOOK);
  }

  async newPet(status: string): Promise<string> {
    const body = JSON.stringify({ name: 'Bella', categoryId: 1, status });
    return (await this.service.post('/v1/pets', this.key, body)).headers.get('location') ?? '';
  }

  newPetId(): Promise<number> {
    return this.idOfNew('/v1/pets', PET);
  }

  async newOrderId(): Promise<number> {
    return this.idOfNew('/v1/store/orders', `{"petId":${await this.newPetId()}}`);
  }

  async newKeyId(): Promise<string> {
    const issued = await this.service.app.get(KeysService).createKey({ ...ALMIGHTY, scopes: ['pets:read'] });
    return issued.id;
  }

  /** Returns the path of a webhook that can be removed: the last one, if it is still there, as an account has few. */
  async spareWebhook(): Promise<string> {
    const isThere = this.spare !== '' && (await this.service.request(this.spare, { key: this.key })).status === 200;
    if (!isThere) this.spare = `/v1/webhooks/${await this.idOfNew('/v1/webhooks', WEBHOOK)}`;
    return this.spare;
  }

  private async idOfNew(path: string, body: string): Promise<number> {
    return ((await (await this.service.post(path, this.key, body)).json()) as { id: number }).id;
  }
}

export const subject = new Subject();
