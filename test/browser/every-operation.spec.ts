import { describe, expect, it } from '@jest/globals';
import type { Response } from 'playwright-core';
import { SCOPES } from '../../src/auth/keys/scopes.js';
import { fetchDocument, operationsOf } from '../openapi/document.js';
import { explorer, page, service, shareBrowser, shareExplorer } from '../support/browser-bench.js';
import { AMPLE } from '../support/folders.js';
import { WEBHOOK_KEY } from '../support/webhook-settings.js';

/** What a person types into an operation: values by the name of the parameter, and the body. */
interface Input {
  readonly fields?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const executed = new Set<string>();
let last: string;

shareBrowser({ env: { WEBHOOK_KEY } });
shareExplorer();

/** Executes an operation, and checks that the page shows what was sent. */
async function execute(tag: string, id: string, status: number, { fields = {}, body }: Input = {}): Promise<Response> {
  if (last !== id) await explorer.closeOperations();
  last = id;
  const found = await explorer.openOperation(tag, id);
  for (const [name, value] of Object.entries(fields)) await found.getByPlaceholder(name, { exact: true }).fill(value);
  if (body !== undefined) await found.getByLabel('Request body').fill(body);
  const response = await explorer.send(tag, id);
  expect([id, response.status()]).toEqual([id, status]);
  expect(await found.locator('.live-code').textContent()).toMatch(new RegExp(`^${status} [A-Z]`));
  const terms = await found.locator('.live-headers dt').allTextContents();
  const values = await found.locator('.live-headers dd').allTextContents();
  const shown = terms.map((term, index) => `${term}: ${values[index]}`);
  const sent = (await response.headersArray()).map(({ name, value }) => `${name.toLowerCase()}: ${value}`);
  expect(shown.toSorted()).toEqual(sent.toSorted());
  expect(await found.locator('.live-body').count()).toBe(status === 204 || status === 304 ? 0 : 1);
  expect(await page.getByText('Could not render').count()).toBe(0);
  executed.add(id);
  return response;
}

const idOf = async (response: Response) => String(((await response.json()) as { id: string | number }).id);
const etagOf = async (response: Response) => (await response.headerValue('etag')) ?? '';

describe('the explorer', () => {
  it('executes every operation, and shows its status and its headers as they were sent', async () => {
    await explorer.authorize(await service.key({ ...AMPLE, scopes: [...SCOPES] }));

    const petId = await idOf(await execute('Pets', 'createPet', 201));
    const pet = await execute('Pets', 'getPet', 200, { fields: { petId } });
    await execute('Pets', 'getPet', 304, { fields: { petId, 'If-None-Match': await etagOf(pet) } });
    const pets = await execute('Pets', 'listPets', 200);
    await execute('Pets', 'listPets', 304, { fields: { 'If-None-Match': await etagOf(pets) } });
    await execute('Pets', 'changePet', 412, { fields: { petId, 'If-Match': '"another"' } });
    await execute('Pets', 'changePet', 200, { fields: { petId, 'If-Match': '' } });

    const categoryId = await idOf(await execute('Categories', 'createCategory', 201, { body: '{"name": "Fish"}' }));
    await execute('Categories', 'getCategory', 200, { fields: { categoryId } });
    await execute('Categories', 'changeCategory', 200, { fields: { categoryId } });
    await execute('Categories', 'listCategories', 200);

    const orderId = await idOf(await execute('Store', 'placeOrder', 201, { body: `{"petId": ${petId}}` }));
    await execute('Store', 'getOrder', 200, { fields: { orderId } });
    await execute('Store', 'listOrders', 200);
    await execute('Store', 'changeOrder', 200, { fields: { orderId }, body: '{"status": "cancelled"}' });

    await execute('Pets', 'removePet', 204, { fields: { petId } });
    await execute('Pets', 'removePet', 404);

    const keyId = await idOf(await execute('Keys', 'createKey', 201));
    await execute('Keys', 'getKey', 200, { fields: { keyId } });
    await execute('Keys', 'getKeyUsage', 200, { fields: { keyId } });
    await execute('Keys', 'changeKey', 200, { fields: { keyId }, body: '{"name": null}' });
    await execute('Keys', 'rotateKey', 201, { fields: { keyId } });
    await execute('Keys', 'revokeKey', 204, { fields: { keyId } });
    await execute('Keys', 'listKeys', 200);
    await execute('Events', 'listEvents', 200);
    const webhook = '{"url": "https://receiver.test/", "types": ["pet.*"]}';
    const webhookId = await idOf(await execute('Webhooks', 'createWebhook', 201, { body: webhook }));
    await execute('Webhooks', 'listWebhooks', 200);
    for (const id of ['getWebhook', 'listDeliveries'] as const)
      await execute('Webhooks', id, 200, { fields: { webhookId } });
    await execute('Webhooks', 'changeWebhook', 200, { fields: { webhookId }, body: '{"enabled": false}' });
    await execute('Webhooks', 'rotateWebhook', 200, { fields: { webhookId } });
    for (const id of ['testWebhook', 'replayDeliveries'] as const)
      await execute('Webhooks', id, 201, { fields: { webhookId } });
    await execute('Webhooks', 'removeWebhook', 204, { fields: { webhookId } });
    await execute('Usage', 'getUsage', 200);
    await execute('Usage', 'getUsageHistory', 200);

    const documented = operationsOf(await fetchDocument(service)).map(({ operation }) => operation.operationId);
    expect([...executed].toSorted()).toEqual(documented.toSorted());
  });
});
